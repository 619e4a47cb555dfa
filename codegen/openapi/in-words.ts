/** Names as a reader says them. */

/** `purchaseOrders` → `purchase orders` */
export const inWords = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
