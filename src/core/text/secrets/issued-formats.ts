import { isAtLeast, isKeyPart, isVaried, lookOf, mayHoldVaried } from './looks.ts'
import type { Span } from './span.ts'

/** The name of a format, a text that every value of it contains, and its pattern. */
type Format = readonly [kind: string, contains: string, pattern: RegExp]

/** Its parts are separated by dots; the last one signs the others. */
export const WEB_TOKEN = 'web token'

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
  [
    'Telegram bot token',
    'api.telegram.org/bot',
    /api\.telegram\.org\/(?:file\/)?bot\d{8,10}:AA[A-Za-z0-9_-]{32,}/,
  ],
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
  ['Heroku token', 'HRKU-', /HRKU-[A-Za-z0-9_-]{36,}/],
  ['Fly token', 'fm', /fm[12][ar]?_[A-Za-z0-9+/=_,-]{40,}/],
  ['Fly token', 'fo1_', /fo1_[A-Za-z0-9_-]{40,}/],
  ['Doppler token', 'dp.', /dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}/],
  ['Dropbox token', 'sl.', /sl\.(?:u\.)?[A-Za-z0-9_-]{120,}/],
  ['EasyPost key', 'EZ', /EZ[AT]K[A-Za-z0-9]{54}/],
  ['Pulumi token', 'pul-', /pul-[a-f0-9]{40}(?![A-Za-z0-9])/],
  ['Tailscale key', 'tskey-', /tskey-[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}/],
  ['CircleCI token', 'CCIP', /CCIP(?:AT|RJ)_[A-Za-z0-9]{20,}_[a-f0-9]{40}/],
  ['Buildkite token', 'bk', /bk(?:ua|at|ct|pt)_[A-Za-z0-9]{32,}/],
  ['Netlify token', 'nfp_', /nf[puc]_[A-Za-z0-9]{36,}/],
  ['Prefect key', 'pnu_', /pnu_[A-Za-z0-9]{36}(?![A-Za-z0-9])/],
  ['Prefect key', 'pnb_', /pnb_[A-Za-z0-9]{36}(?![A-Za-z0-9])/],
  ['LangSmith key', 'lsv2_', /lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}/],
  ['Pinecone key', 'pcsk_', /pcsk_[A-Za-z0-9]{4,8}_[A-Za-z0-9]{40,}/],
  ['Contentful token', 'CFPAT-', /CFPAT-[A-Za-z0-9_-]{40,}/],
  ['OnePassword token', 'ops_eyJ', /ops_eyJ[A-Za-z0-9+/=_-]{100,}/],
  [
    'OnePassword secret key',
    'A3-',
    /A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}/,
  ],
  ['Alibaba access key', 'LTAI', /LTAI[A-Za-z0-9]{12,26}(?![A-Za-z0-9])/],
  ['Tencent secret id', 'AKID', /AKID[A-Za-z0-9]{32}(?![A-Za-z0-9])/],
  ['SonarQube token', 'sqa_', /sqa_[a-f0-9]{40}(?![A-Za-z0-9])/],
  ['SonarQube token', 'sqp_', /sqp_[a-f0-9]{40}(?![A-Za-z0-9])/],
  ['SonarQube token', 'squ_', /squ_[a-f0-9]{40}(?![A-Za-z0-9])/],
  ['Artifactory key', 'AKCp', /AKCp[A-Za-z0-9]{60,}/],
  ['Artifactory token', 'cmVmdGtuOj', /cmVmdGtuOj[A-Za-z0-9+/=]{40,}/],
  ['NuGet key', 'oy2', /oy2[a-z0-9]{43}(?![A-Za-z0-9])/],
  ['Meta access token', 'EAA', /EAA[A-Za-z0-9]{80,}/],
  ['X bearer token', 'AAAAAAAAAAAAAAAAAAAA', /A{20}[A-Za-z0-9%+/=]{60,}/],
  ['Brevo key', 'xkeysib-', /xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}/],
  ['Shippo token', 'shippo_', /shippo_(?:live|test)_[a-f0-9]{40}/],
  ['Razorpay key', 'rzp_', /rzp_(?:live|test)_[A-Za-z0-9]{14,}/],
  [
    'Plaid token',
    'access-',
    /access-(?:production|development|sandbox)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}/,
  ],
  ['Clojars token', 'CLOJARS_', /CLOJARS_[a-f0-9]{60}/],
  ['crates registry token', 'cio', /cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/],
  ['Typeform token', 'tfp_', /tfp_[A-Za-z0-9_.=-]{40,}/],
  ['ReadMe key', 'rdme_', /rdme_[a-z0-9]{70}/],
  ['OpenShift token', 'sha256~', /sha256~[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/],
  ['Sourcegraph token', 'sgp_', /sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}/],
  ['NVIDIA key', 'nvapi-', /nvapi-[A-Za-z0-9_-]{60,}/],
  ['Fireworks key', 'fw_', /fw_[A-Za-z0-9]{22,24}(?![A-Za-z0-9_])/],
  ['GitLab runner token', 'GR1348941', /GR1348941[A-Za-z0-9_-]{20,}/],
  ['Azure client secret', 'Q~', /[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/],
  ['Bedrock key', 'ABSK', /ABSK[A-Za-z0-9+/]{100,}={0,2}/],
  ['Google refresh token', '1//0', /1\/\/0[A-Za-z0-9_-]{60,}/],
  ['extended private key', 'prv', /[xtyz]prv[A-HJ-NP-Za-km-z1-9]{100,108}/],
  ['Cloudflare origin key', 'v1.0-', /v1\.0-[a-f0-9]{24}-[a-f0-9]{146}/],
  ['Dynatrace token', 'dt0', /dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}/],
  ['Duffel token', 'duffel_', /duffel_(?:live|test)_[A-Za-z0-9_=-]{43}/],
  ['Frame token', 'fio-u-', /fio-u-[A-Za-z0-9_=-]{64}/],
  ['Lob key', 'live_', /live_[a-f0-9]{35}(?![A-Za-z0-9])/],
  ['Lob key', 'test_', /test_[a-f0-9]{35}(?![A-Za-z0-9])/],
  ['Teams webhook', 'webhook.office.com/', /webhook\.office\.com\/webhookb2\/[A-Za-z0-9@/-]{60,}/],
  ['PostHog key', 'phx_', /phx_[A-Za-z0-9]{40,}/],
  ['Resend key', 're_', /re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9])/],
  ['LaunchDarkly key', 'sdk-', /sdk-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-[a-f0-9]{12}/],
  ['LaunchDarkly key', 'api-', /api-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-[a-f0-9]{12}/],
  ['LaunchDarkly key', 'mob-', /mob-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-[a-f0-9]{12}/],
  ['Render key', 'rnd_', /rnd_[A-Za-z0-9]{28,}/],
  ['Paddle key', 'pdl_', /pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}/],
  ['ElevenLabs key', 'sk_', /sk_[a-f0-9]{48}(?![A-Za-z0-9])/],
  ['Slack cookie', 'xoxd-', /xoxd-[A-Za-z0-9%+/=-]{20,}/],
  ['Zuplo key', 'zpka_', /zpka_[a-z0-9]{32}_[a-f0-9]{8}/],
  [
    'private key',
    'LS0tLS1CRUdJTi',
    /LS0tLS1CRUdJTi(?:BSU0EgU|BQUklW|BFQyBQUklW|BPUEVOU1NI|BFTkNSWVBURUQgUFJJVk|BEU0EgU)[A-Za-z0-9+/]{40,}={0,2}/,
  ],
  ['Azure DevOps token', 'AZDO', /[A-Za-z0-9]{60,80}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/],
  ['Azure DevOps token', '', /(?=(?:[a-z]{0,40}[2-7]){3})[a-z2-7]{52}(?![A-Za-z0-9]|\.b32)/],
  ['access token', 'tcs_', /tcs_[A-Za-z0-9_-]{24,}/],
  [
    'password hash',
    '$',
    /\$(?:[156y7]|2[abxy]|gy|apr1|argon2(?:id|[di]))\$(?:[./A-Za-z0-9=,+-]{1,64}\$){0,4}[./A-Za-z0-9+]{22,128}/,
  ],
  ['password hash', 'SHA', /\{S{0,2}SHA(?:256|512)?\}[A-Za-z0-9+/]{27,}={0,2}/],
  [WEB_TOKEN, 'eyJ', /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/],
]

const SEARCHES = FORMATS.map(
  ([kind, contains, { source }]) => [kind, contains, new RegExp(`(?<![A-Za-z0-9])${source}`, 'g')] as const,
)

const API_KEY = /(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{8,}/g

/** Words with a number, such as the class `sk-circle10`, are no key. */
const isApiKey = (value: string): boolean =>
  isAtLeast(lookOf(value), 'mixed') || value.split(/[-_]/).some(isKeyPart)

/** Values that a provider issues, wherever they stand. */
export const findIssued = (text: string): readonly Span[] => {
  const found: Span[] = []
  if (text.includes('sk-'))
    for (const { index, 0: value } of text.matchAll(API_KEY))
      if (isApiKey(value)) found.push({ start: index, end: index + value.length, kind: 'API key' })
  if (!mayHoldVaried(text)) return found
  for (const [kind, contains, pattern] of SEARCHES)
    if (text.includes(contains))
      for (const { index, 0: value } of text.matchAll(pattern))
        if (isVaried(value)) found.push({ start: index, end: index + value.length, kind })
  return found
}
