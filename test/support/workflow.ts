/** A workflow of the sandbox that posts its orders; each number or name gives another definition. */
export const defineWorkflow = (n: number | string) => ({
  when: { app: 'sandbox', topic: 'commerce/orders' },
  // biome-ignore lint/suspicious/noThenProperty: the language's own word
  then: { post: { address: `https://hooks.example.com/${n}` } },
})
