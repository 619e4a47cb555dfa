/** HTTP status codes of webhook responses. @see https://www.standardwebhooks.com */

/** Whether a status is 2xx. Every other status is a failure, including redirects. */
export const isSuccessStatus = (status: number): boolean => status >= 200 && status < 300

/** Whether a status is 410: the receiver is permanently gone. */
export const isGoneStatus = (status: number): boolean => status === 410
