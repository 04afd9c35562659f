import { isAbout, subjectOf, wordsOf } from '../rule-kind.ts'
import type { RuleKind } from '../rule-kind.ts'

/** A person must agree to each call, or have agreed through a standing grant. */
export const requiresConsent: RuleKind<'RequiresConsent'> = {
  type: 'RequiresConsent',
  lifetime: 'lasting',
  example: { tool: 'deploy', type: 'RequiresConsent', scope: 'the staging server', priority: 0 },
  sentence(rule) {
    const scope = rule.scope === null ? '' : ` (${wordsOf(rule, rule.scope)})`
    return `${subjectOf(rule)} needs a person's consent${scope}, given for the call or by a standing grant.`
  },
  concerns: isAbout,
  judge(rule, { book }) {
    if (!book.limits.requirePermissions) return null
    const reason =
      rule.scope === null ? 'consent is needed' : `consent is needed for ${wordsOf(rule, rule.scope)}`
    const sentence = this.sentence(rule)
    return { is: 'consent', rule: rule.type, sentence, reason, scope: rule.scope }
  },
}
