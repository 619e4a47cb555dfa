/** Names as words, for titles and summaries. */

/** `purchaseOrders` → `purchase orders` */
export const inWords = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** `invoice` → `an invoice`; company info is uncountable. */
export const withArticle = (words: string): string =>
  words.endsWith(' info') ? words : `${/^[aeio]/.test(words) ? 'an' : 'a'} ${words}`
