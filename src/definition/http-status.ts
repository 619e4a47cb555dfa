/** What the status of an answer says to who posts. @see https://www.standardwebhooks.com */

/** 2xx is success, and nothing else; a redirect is a failure. */
export const isSuccessStatus = (status: number): boolean => status >= 200 && status < 300

/** 410: nobody will ever listen there again. */
export const isGoneStatus = (status: number): boolean => status === 410
