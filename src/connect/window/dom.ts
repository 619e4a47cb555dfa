/** Elements from values. Text is only ever text: what an app or an integrator named is never markup. */

type Attribute = string | number | boolean | undefined | ((event: Event) => void)
/** What is false or undefined is left out. */
export type Child = Node | string | false | undefined

/**
 * An element. A function is a listener (`click`, `submit`), true an attribute without a value; false and
 * undefined are left out.
 */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'function') made.addEventListener(name, value)
    else if (value === true) made.setAttribute(name, '')
    else if (value !== false && value !== undefined) made.setAttribute(name, String(value))
  made.append(...children.filter((child) => child !== false && child !== undefined))
  return made
}

/** `apiKey` as a person reads it: Api key. */
export const words = (name: string): string => {
  const apart = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return apart.charAt(0).toUpperCase() + apart.slice(1)
}
