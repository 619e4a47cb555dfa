/** Creates DOM elements. Strings always become text nodes, so names from apps and integrators are never markup. */

type Attribute = string | number | boolean | undefined | ((event: Event) => void)
/** A child of an element; false and undefined are skipped. */
export type Child = Node | string | false | undefined

/**
 * Creates an element. A function becomes an event listener (`click`, `submit`), true an attribute without a
 * value; false and undefined are skipped.
 */
export const element = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] => {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === 'function') created.addEventListener(name, value)
    else if (value === true) created.setAttribute(name, '')
    else if (value !== false && value !== undefined) created.setAttribute(name, String(value))
  created.append(...children.filter((child) => child !== false && child !== undefined))
  return created
}

/** Sets the text of an element. An unchanged text stays as it is, so that screen readers do not announce it again. */
export const setText = (target: HTMLElement, text: string): void => {
  if (target.textContent !== text) target.textContent = text
}
