/** Reads the elements of an XML document. Text between them is left out: a schema has only documentation there. */

export interface XmlElement {
  /** Without its namespace prefix. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
}

interface OpenElement extends XmlElement {
  readonly children: OpenElement[]
}

const TAG =
  /<(\/?)([\w.:-]{1,100})((?:\s{1,200}[\w.:-]{1,100}\s{0,9}=\s{0,9}(?:"[^"]{0,999}"|'[^']{0,999}'))*)\s{0,99}(\/?)>/g
const ATTRIBUTE = /([\w.:-]{1,100})\s{0,9}=\s{0,9}(?:"([^"]{0,999})"|'([^']{0,999})')/g
const COMMENT = /<!--[\s\S]*?-->/g

const localName = (name: string): string => name.split(':').at(-1) ?? name

const readAttributes = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', double, single]) => [
      name,
      double ?? single ?? '',
    ]),
  )

/** @throws if an element is not closed */
export const parseXml = (text: string): XmlElement => {
  const root: OpenElement = { name: '', attributes: {}, children: [] }
  const open = [root]
  for (const [, closing, name = '', attributes = '', empty] of text
    .replace(COMMENT, '')
    .matchAll(TAG)) {
    if (closing) {
      const closed = open.pop()
      if (closed?.name !== localName(name)) throw new Error(`</${name}> closes ${closed?.name}`)
      continue
    }
    const element: OpenElement = {
      name: localName(name),
      attributes: readAttributes(attributes),
      children: [],
    }
    open.at(-1)?.children.push(element)
    if (!empty) open.push(element)
  }
  const [document] = root.children
  if (open.length !== 1 || document === undefined)
    throw new Error(`${open.at(-1)?.name} is not closed`)
  return document
}
