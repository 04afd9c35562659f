import type { Shape } from './secret-shapes.ts'
import type { Maker } from './random-values.ts'

/** The two halves of a prefix, so that no scanner takes it for real, and what follows it. */
type Prefixed = readonly [why: string, one: string, other: string, rest: (m: Maker) => string]

/** The alphabet of the hashes in /etc/shadow. */
const CRYPT = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const PREFIXED: readonly Prefixed[] = [
  ['token that begins with tcs', 'tc', 's_', (m) => m.base62(40)],
  ['Azure DevOps token', '', '', (m) => `${m.base62(76)}${'AZ'}${'DO'}${m.base62(4)}`],
  ['older Azure DevOps token', '', '', (m) => m.from('abcdefghijklmnopqrstuvwxyz234567', 52)],
  ['hash of a password, as in /etc/shadow', '$6', '$', (m) => `${m.from(CRYPT, 16)}$${m.from(CRYPT, 86)}`],
  ['hash of a password by yescrypt', '$y', '$j9T$', (m) => `${m.from(CRYPT, 22)}$${m.from(CRYPT, 43)}`],
  ['hash of a password by bcrypt, as in .htpasswd', '$2', 'y$05$', (m) => m.from(CRYPT, 53)],
  ['hash of a password by Apache', '$ap', 'r1$', (m) => `${m.from(CRYPT, 8)}$${m.from(CRYPT, 22)}`],
  [
    'hash of a password by Argon2',
    '$argon',
    '2id$v=19$m=65536,t=3,p=4$',
    (m) => `${m.base64(22)}$${m.base64(43)}`,
  ],
  ['hash of a password in LDAP', '{SS', 'HA}', (m) => m.base64(38)],
  ['Heroku token', 'HR', 'KU-AA', (m) => m.base62(58)],
  ['Fly token', 'fm', '2_', (m) => m.base64(80)],
  ['Fly organization token', 'fo', '1_', (m) => m.base62(43)],
  ['Doppler token', 'dp', '.pt.', (m) => m.base62(43)],
  ['Doppler service token', 'dp', '.st.prd.', (m) => m.base62(43)],
  ['Dropbox token', 'sl', '.u.', (m) => m.base62(130)],
  ['EasyPost key', 'EZ', 'AK', (m) => m.base62(54)],
  ['Pulumi token', 'pu', 'l-', (m) => m.hex(40)],
  ['Tailscale key', 'ts', 'key-auth-', (m) => `k${m.base62(12)}CNTRL-${m.base62(32)}`],
  ['CircleCI token', 'CCI', 'PAT_', (m) => `${m.base62(22)}_${m.hex(40)}`],
  ['Buildkite token', 'bk', 'ua_', (m) => m.hex(40)],
  ['Netlify token', 'nf', 'p_', (m) => m.base62(36)],
  ['Prefect key', 'pn', 'u_', (m) => m.base62(36)],
  ['LangSmith key', 'ls', 'v2_pt_', (m) => `${m.hex(32)}_${m.hex(10)}`],
  ['Pinecone key', 'pc', 'sk_', (m) => `${m.base62(6)}_${m.base62(60)}`],
  ['Contentful token', 'CF', 'PAT-', (m) => m.base62(43)],
  ['OnePassword service account', 'op', 's_eyJ', (m) => m.base62(200)],
  ['Alibaba access key', 'LT', 'AI5t', (m) => m.base62(18)],
  ['SonarQube token', 'sq', 'p_', (m) => m.hex(40)],
  ['Artifactory key', 'AK', 'Cp8', (m) => m.base62(69)],
  ['Meta access token', 'EA', 'AB', (m) => m.base62(120)],
  ['Brevo key', 'xkey', 'sib-', (m) => `${m.hex(64)}-${m.base62(16)}`],
  ['Shippo token', 'shippo', '_live_', (m) => m.hex(40)],
  ['Razorpay key', 'rzp', '_live_', (m) => m.base62(14)],
  ['Clojars token', 'CLO', 'JARS_', (m) => m.hex(60)],
  ['crates registry token', 'ci', 'o', (m) => m.base62(32)],
  ['OpenShift token', 'sha', '256~', (m) => m.base62(43)],
  ['Sourcegraph token', 'sg', 'p_', (m) => m.hex(40)],
  ['NVIDIA key', 'nv', 'api-', (m) => m.base62(64)],
  ['Fireworks key', 'f', 'w_', (m) => m.base62(24)],
  ['GitLab registration token', 'GR', '1348941', (m) => m.base62(20)],
  ['Azure client secret', 'abc8', 'Q~', (m) => m.base62(34)],
  ['Bedrock key', 'AB', 'SK', (m) => m.base64(124)],
  ['Google refresh token', '1/', '/0e', (m) => m.base62(90)],
  ['Cloudflare origin key', 'v1', '.0-', (m) => `${m.hex(24)}-${m.hex(146)}`],
  ['Dynatrace token', 'dt', '0c01.', (m) => `${m.upper(24)}.${m.upper(64)}`],
  ['Duffel token', 'duffel', '_live_', (m) => m.base62(43)],
  ['PostHog key', 'ph', 'x_', (m) => m.base62(43)],
  ['Resend key', 'r', 'e_', (m) => `${m.base62(8)}_${m.base62(24)}`],
  ['Render key', 'rn', 'd_', (m) => m.base62(28)],
  ['ElevenLabs key', 's', 'k_', (m) => m.hex(48)],
  ['Slack cookie', 'xo', 'xd-', (m) => m.base62(100)],
  [
    'private key in base64, as in a kubeconfig',
    'LS0tLS1C',
    'RUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ',
    (m) => m.base64(200),
  ],
]

/** Further values with a prefix of their own, which stand alone. */
export const PREFIXED_SHAPES: readonly Shape[] = PREFIXED.map(([why, one, other, rest]) => [
  why,
  (maker) => {
    const secret = one + other + rest(maker)
    return { text: `got ${secret} from the vault`, secret }
  },
])
