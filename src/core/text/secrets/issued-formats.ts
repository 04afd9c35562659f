import { isVaried } from './looks.ts'
import type { Span } from './span.ts'

/** The name of a format, a text that every value of it contains, and its pattern. */
type Format = readonly [kind: string, contains: string, pattern: RegExp]

/** Formats that no ordinary word has. A value begins where no letter or digit precedes it. */
const FORMATS: readonly Format[] = [
  ['GitHub token', 'gh', /gh[oprsu]_[A-Za-z0-9]{16,}/],
  ['GitHub token', 'github_pat_', /github_pat_[A-Za-z0-9_]{16,}/],
  ['GitLab token', 'gl', /gl(?:pat|ptt|dt|rt|cbt|ft|soat|imt|oas|agent)-[A-Za-z0-9_.-]{16,}/],
  ['Slack token', 'xox', /xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{8,}/],
  ['Slack token', 'xapp-', /xapp-\d-[A-Za-z0-9-]{20,}/],
  ['Slack webhook', 'hooks.slack.com/', /hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9/_-]{20,}/],
  ['AWS access key', 'A', /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/],
  ['Google API key', 'AIza', /AIza[A-Za-z0-9_-]{30,}/],
  ['Google OAuth secret', 'GOCSPX-', /GOCSPX-[A-Za-z0-9_-]{20,}/],
  ['Google access token', 'ya29.', /ya29\.[A-Za-z0-9_-]{20,}/],
  ['npm token', 'npm_', /npm_[A-Za-z0-9]{30,}/],
  ['PyPI token', 'pypi-AgE', /pypi-AgE[A-Za-z0-9_-]{20,}/],
  ['RubyGems key', 'rubygems_', /rubygems_[a-f0-9]{32,}/],
  ['Docker token', 'dckr_', /dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}/],
  ['Hugging Face token', 'hf_', /hf_[A-Za-z0-9]{20,}/],
  ['Stripe key', 'k_', /[prs]k_(?:live|test|prod)_[A-Za-z0-9]{10,}/],
  ['Stripe webhook secret', 'whsec_', /whsec_[A-Za-z0-9+/=]{20,}/],
  ['SendGrid key', 'SG.', /SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/],
  ['Twilio key', 'SK', /SK[0-9a-f]{32}(?![A-Za-z0-9])/],
  ['Telegram bot token', ':AA', /\d{8,10}:AA[A-Za-z0-9_-]{32,}/],
  ['Discord token', '.', /[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/],
  ['Discord webhook', '/api/webhooks/', /discord(?:app)?\.com\/api\/webhooks\/\d{15,}\/[A-Za-z0-9_-]{30,}/],
  ['Shopify token', 'shp', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/],
  ['DigitalOcean token', '_v1_', /do[opr]_v1_[a-f0-9]{64}/],
  ['Databricks token', 'dapi', /dapi[a-f0-9]{32}(?:-\d)?/],
  ['Linear key', 'lin_', /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/],
  ['Notion token', 'ntn_', /ntn_[A-Za-z0-9]{40,}/],
  ['Postman key', 'PMAK-', /PMAK-[a-f0-9]{24}-[a-f0-9]{34}/],
  ['Vault token', 'hv', /hv[bsr]\.[A-Za-z0-9_-]{24,}/],
  ['Grafana token', 'gl', /gl(?:sa|c)_[A-Za-z0-9+/=_]{32,}/],
  ['Sentry token', 'sntry', /sntry[su]_[A-Za-z0-9+/=_]{32,}/],
  ['Mailgun key', 'key-', /key-[0-9a-f]{32}(?![A-Za-z0-9])/],
  ['Mailchimp key', '-us', /[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/],
  ['New Relic key', 'NRA', /NRA[KA]-[A-Z0-9]{27}/],
  ['Square token', 'sq0', /sq0[a-z]{3}-[A-Za-z0-9_-]{22,}/],
  ['Figma token', 'figd_', /figd_[A-Za-z0-9_-]{20,}/],
  ['Replicate token', 'r8_', /r8_[A-Za-z0-9]{30,}/],
  ['Groq key', 'gsk_', /gsk_[A-Za-z0-9]{40,}/],
  ['xAI key', 'xai-', /xai-[A-Za-z0-9]{40,}/],
  ['Perplexity key', 'pplx-', /pplx-[A-Za-z0-9]{40,}/],
  ['Supabase token', 'sbp_', /sbp_[a-f0-9]{40}/],
  ['PlanetScale token', 'pscale_', /pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{32,}/],
  ['Atlassian token', 'AT', /(?:ATATT3|ATBB)[A-Za-z0-9_=-]{24,}/],
  ['age key', 'AGE-SECRET-KEY-1', /AGE-SECRET-KEY-1[A-Z0-9]{58}/],
  ['Airtable token', 'pat', /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/],
  ['Terraform token', '.atlasv1.', /[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}/],
  ['web token', 'eyJ', /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/],
]

const SEARCHES = FORMATS.map(
  ([kind, contains, { source }]) => [kind, contains, new RegExp(`(?<![A-Za-z0-9])${source}`, 'g')] as const,
)

/** Values that a provider issues, wherever they stand. */
export const findIssued = (text: string): readonly Span[] =>
  SEARCHES.flatMap(([kind, contains, pattern]) =>
    text.includes(contains)
      ? [...text.matchAll(pattern)]
          .filter(([value]) => isVaried(value))
          .map(({ index, 0: value }) => ({ start: index, end: index + value.length, kind }))
      : [],
  )
