/** What a subscription must not leave open: whether it has a field at all. */
import { type ASTVisitor, GraphQLError, type SelectionNode, type ValidationContext } from 'graphql'

const CONDITIONS = ['skip', 'include']

/**
 * Refuses @skip and @include on what a subscription selects first: one whose only field is left out has
 * nothing to follow, and graphql-js, which does not have this rule yet, fails at it.
 * @see https://spec.graphql.org/draft/#sec-Single-Root-Field
 */
export const refuseRootConditions = (context: ValidationContext): ASTVisitor => {
  const check = (selection: SelectionNode): void => {
    if (context.getParentType() !== context.getSchema().getSubscriptionType()) return
    const condition = selection.directives?.find(({ name }) => CONDITIONS.includes(name.value))
    if (condition === undefined) return
    const message = `@${condition.name.value} is not taken at the root of a subscription.`
    context.reportError(new GraphQLError(message, { nodes: [condition] }))
  }
  return { Field: check, InlineFragment: check, FragmentSpread: check }
}
