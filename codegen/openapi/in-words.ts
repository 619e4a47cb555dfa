/** Names as words, for titles and summaries. */

/** `purchaseOrders` → `purchase orders` */
export const inWords = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
