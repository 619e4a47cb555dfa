/** Validation rule against conditional root fields in subscriptions. */
import { type ASTVisitor, GraphQLError, type SelectionNode, type ValidationContext } from 'graphql'

const CONDITIONS = ['skip', 'include']

/**
 * Rejects @skip and @include at the root of a subscription. A subscription without a root field has no event
 * stream, and graphql-js, which does not implement this rule yet, throws.
 * @see https://spec.graphql.org/draft/#sec-Single-Root-Field
 */
export const rejectRootConditions = (context: ValidationContext): ASTVisitor => {
  const check = (selection: SelectionNode): void => {
    if (context.getParentType() !== context.getSchema().getSubscriptionType()) return
    const condition = selection.directives?.find(({ name }) => CONDITIONS.includes(name.value))
    if (condition === undefined) return
    const message = `@${condition.name.value} is not allowed at the root of a subscription. Remove it.`
    context.reportError(new GraphQLError(message, { nodes: [condition] }))
  }
  return { Field: check, InlineFragment: check, FragmentSpread: check }
}
