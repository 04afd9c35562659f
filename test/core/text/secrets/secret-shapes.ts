import type { Maker } from './random-values.ts'

/** A text as it occurs in the wild, and the part of it that nobody else may see. */
export interface Sample {
  readonly text: string
  readonly secret: string
}

/** Why it has to be caught, and how it is made. Prefixes are put together here, so that no scanner takes them for real. */
export type Shape = readonly [why: string, make: (maker: Maker) => Sample]

const alone = (secret: string): Sample => ({ text: `got ${secret} from the vault`, secret })
const within = (before: string, secret: string, after = ''): Sample => ({
  text: `first line\n${before}${secret}${after}\nlast line\n`,
  secret,
})
const join = (...parts: readonly string[]): string => parts.join('')
const base64Of = (text: string): string => Buffer.from(text).toString('base64')
const pem = (label: string, body: string): Sample => ({
  text: `${join('-----BE', 'GIN ')}${label}-----\n${body.replaceAll(/(.{64})/g, '$1\n')}\n${join('-----E', 'ND ')}${label}-----\n`,
  secret: body.slice(0, 64),
})
const webToken = (m: Maker): string =>
  [base64Of('{"alg":"HS256"}'), base64Of(`{"sub":"${m.digits(10)}"}`), m.base62(43)]
    .map((part) => part.replaceAll('=', ''))
    .join('.')

/** Values whose own form gives them away, wherever they stand. */
export const ISSUED_SHAPES: readonly Shape[] = [
  [
    'AWS access key id: prefix and fixed length',
    (m) => alone(join('AK', 'IA') + m.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16)),
  ],
  ['AWS temporary key id', (m) => alone(join('AS', 'IA') + m.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 16))],
  ['GitHub personal token', (m) => alone(join('gh', 'p_') + m.base62(36))],
  ['GitHub server token', (m) => alone(join('gh', 's_') + m.base62(36))],
  ['GitHub fine-grained token', (m) => alone(`${join('github', '_pat_')}${m.base62(22)}_${m.base62(59)}`)],
  ['GitLab personal token', (m) => alone(join('gl', 'pat-') + m.base62(20))],
  ['GitLab runner token', (m) => alone(join('gl', 'rt-') + m.base62(20))],
  ['Slack bot token', (m) => alone(`${join('xo', 'xb-')}${m.digits(12)}-${m.digits(12)}-${m.base62(24)}`)],
  ['Slack user token', (m) => alone(`${join('xo', 'xp-')}${m.digits(12)}-${m.digits(12)}-${m.hex(32)}`)],
  [
    'Slack webhook address',
    (m) =>
      within(
        'curl https://',
        `${join('hooks.slack', '.com/services/')}T${m.upper(8)}/B${m.upper(8)}/${m.base62(24)}`,
      ),
  ],
  ['Stripe live key', (m) => alone(join('sk', '_live_') + m.base62(24))],
  ['Stripe restricted key', (m) => alone(join('rk', '_live_') + m.base62(24))],
  ['Google API key', (m) => alone(join('AI', 'za') + m.base62(35))],
  ['Google OAuth client secret', (m) => alone(join('GOC', 'SPX-') + m.base62(28))],
  ['OpenAI key', (m) => alone(join('sk', '-') + m.base62(48))],
  ['OpenAI project key', (m) => alone(join('sk', '-proj-') + m.base62(64))],
  ['Anthropic key', (m) => alone(`${join('sk', '-ant-')}api03-${m.base62(90)}AA`)],
  ['npm token', (m) => alone(join('np', 'm_') + m.base62(36))],
  ['PyPI token', (m) => alone(join('py', 'pi-AgE') + m.base62(80))],
  ['SendGrid key', (m) => alone(`${join('S', 'G.')}${m.base62(22)}.${m.base62(43)}`)],
  ['Twilio key', (m) => alone(join('S', 'K') + m.hex(32))],
  ['Telegram bot token', (m) => alone(`${m.digits(9)}:${join('A', 'A')}${m.base62(33)}`)],
  ['Discord bot token', (m) => alone(`M${m.base62(23)}.${m.base62(6)}.${m.base62(38)}`)],
  ['Hugging Face token', (m) => alone(join('h', 'f_') + m.base62(34))],
  ['DigitalOcean token', (m) => alone(join('do', 'p_v1_') + m.hex(64))],
  ['Docker Hub token', (m) => alone(join('dckr', '_pat_') + m.base62(27))],
  ['Shopify token', (m) => alone(join('shp', 'at_') + m.hex(32))],
  ['Databricks token', (m) => alone(join('da', 'pi') + m.hex(32))],
  ['Vault token', (m) => alone(join('hv', 's.') + m.base62(24))],
  ['a JSON web token', (m) => alone(webToken(m))],
  ['an RSA private key', (m) => pem('RSA PRIVATE KEY', m.base64(256))],
  ['a PKCS#8 private key', (m) => pem('PRIVATE KEY', m.base64(256))],
  ['an EC private key', (m) => pem('EC PRIVATE KEY', m.base64(160))],
  ['an OpenSSH private key', (m) => pem('OPENSSH PRIVATE KEY', m.base64(256))],
  ['an encrypted private key', (m) => pem('ENCRYPTED PRIVATE KEY', m.base64(256))],
  ['a PGP private key', (m) => pem('PGP PRIVATE KEY BLOCK', m.base64(256))],
]

/** Values that their place gives away, and their look. */
export const PLACED_SHAPES: readonly Shape[] = [
  ['AWS secret key in a credentials file', (m) => within('aws_secret_access_key = ', m.base64(40))],
  ['AWS secret key in the environment', (m) => within('export AWS_SECRET_ACCESS_KEY=', m.base64(40))],
  [
    'an Azure storage connection string',
    (m) =>
      within(
        'DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=',
        `${m.base64(86)}==`,
        ';EndpointSuffix=core.windows.net',
      ),
  ],
  [
    'an Azure service bus connection string',
    (m) =>
      within(
        'Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=',
        `${m.base64(43)}=`,
      ),
  ],
  [
    'an Azure client secret in JSON',
    (m) => within('  "clientSecret": "', `${m.base62(3)}8Q~${m.base62(34)}`, '",'),
  ],
  [
    'a Google service account',
    (m) => {
      const body = m.base64(120)
      const frame = (word: string): string => join('-----', word, ' PRIVATE', ' KEY-----')
      return {
        text: JSON.stringify({
          type: 'service_account',
          private_key: `${frame('BEGIN')}\n${body}\n${frame('END')}\n`,
        }),
        secret: body,
      }
    },
  ],
  ['a Twilio auth token by its name', (m) => within('TWILIO_AUTH_TOKEN=', m.hex(32))],
  [
    'a password in a database URL',
    (m) => within('DATABASE_URL=postgres://app:', m.password(), '@db.internal:5432/shop'),
  ],
  [
    'a password in a git remote',
    (m) => within('url = https://ci:', m.base62(20), '@git.example.com/shop.git'),
  ],
  ['a password in a Redis URL without a name', (m) => within('redis://:', m.base62(24), '@cache:6379/0')],
  ['.netrc on one line', (m) => within('machine api.example.com login ada password ', m.password())],
  [
    '.netrc on several lines',
    (m) => within('machine api.example.com\n  login ada\n  password ', m.password()),
  ],
  ['an XML element', (m) => within('<server><password>', m.password(), '</password></server>')],
  ['an XML attribute pair', (m) => within('<add key="ApiKey" value="', m.base62(24), '" />')],
  ['an Android string resource', (m) => within('<string name="api_key">', m.base62(32), '</string>')],
  ['YAML on the same line', (m) => within('database:\n  password: ', m.password())],
  ['YAML on the next line', (m) => within('database:\n  password:\n    ', m.password())],
  ['YAML as a folded block', (m) => within('api_token: >-\n  ', m.base62(32))],
  [
    'a Kubernetes variable: name above, value below',
    (m) => within('env:\n  - name: DB_PASSWORD\n    value: ', m.password()),
  ],
  ['a variable in a task definition', (m) => within('{"name": "API_TOKEN", "value": "', m.base62(28), '"}')],
  ['a token after a tab', (m) => within('token\t', m.base62(24))],
  [
    'a docker login',
    (m) => within('{"auths": {"registry.example.com": {"auth": "', base64Of(`ada:${m.password()}`), '"}}}'),
  ],
  [
    'an ADO connection string',
    (m) => within('Server=db;User Id=sa;Password=', m.password(), ';Encrypt=true'),
  ],
  [
    'a JDBC URL with a query',
    (m) => within('jdbc:mysql://db/shop?user=app&password=', m.password(), '&useSSL=true'),
  ],
  ['a Bearer header', (m) => within('Authorization: Bearer ', m.base62(40))],
  ['a Basic header', (m) => within('authorization: Basic ', base64Of(`ada:${m.password()}`))],
  ['a token header in code', (m) => within("headers: { 'X-Api-Key': '", m.base62(32), "' }")],
  ['.npmrc', (m) => within('//registry.example.com/:_authToken=', m.base62(36))],
  ['.npmrc with a login', (m) => within('_auth=', base64Of(`ada:${m.password()}`))],
  ['.pypirc', (m) => within('[pypi]\nusername = ada\npassword = ', m.password())],
  ['a curl login', (m) => within('curl -u ada:', m.password(), ' https://api.example.com')],
  ['an option of a command', (m) => within('deploy --api-token ', m.base62(24), ' --now')],
  ['an option with an equals sign', (m) => within('deploy --password=', m.password(), ' --now')],
  ['mysql with a password', (m) => within('mysql -h db -u app -p', m.password(), ' shop')],
  ['an exported variable', (m) => within('export GITHUB_TOKEN="', m.base62(40), '"')],
  ['a variable before a command', (m) => within('PGPASSWORD=', m.password(), ' psql -h db')],
  ['a Dockerfile', (m) => within('ENV SESSION_SECRET=', m.base62(32))],
  ['a .env file', (m) => within('APP_KEY=base64:', `${m.base64(43)}=`)],
  ['a Java properties file', (m) => within('spring.datasource.password=', m.password())],
  ['an INI file', (m) => within('[smtp]\nuser = ada\npassword = ', m.password())],
  ['a TOML file', (m) => within('[api]\ntoken = "', m.base62(32), '"')],
  ['a Terraform variable', (m) => within('  master_password = "', m.password(), '"')],
  ['a PHP constant', (m) => within("define('DB_PASSWORD', '", m.password(), "');")],
  ['a PHP array', (m) => within("'password' => '", m.password(), "',")],
  ['a Ruby hash', (m) => within('  password: "', m.password(), '",')],
  ['a Java constant', (m) => within('private static final String API_KEY = "', m.base62(32), '";')],
  ['a Go literal', (m) => within('apiSecret := "', m.base62(32), '"')],
  ['a Python keyword argument', (m) => within('connect(host="db", password="', m.password(), '")')],
  ['a JavaScript literal', (m) => within("const clientSecret = '", m.base62(32), "'")],
  ['a C# setter', (m) => within('builder.WithPassword("', m.base62(16), '");')],
  ['a C macro', (m) => within('#define API_TOKEN "', m.base62(24), '"')],
  ['JSON within JSON', (m) => within('{"body": "{\\"access_token\\": \\"', m.base62(32), '\\"}"}')],
  ['a query parameter', (m) => within('GET /v1/items?api_key=', m.base62(24), '&page=2')],
  ['a session cookie', (m) => within('Cookie: theme=dark; sid=', m.hex(32), '; lang=en')],
  [
    'a shared access signature',
    (m) => within('https://x.blob.core.windows.net/c?sv=2024&sig=', `${m.base62(43)}%3D`),
  ],
  ['a line of .pgpass', (m) => within('db.internal:5432:shop:app:', m.password())],
  ['a line of .pgpass for every database', (m) => within('*:*:*:postgres:', m.base62(20))],
  [
    'a line of /etc/shadow',
    (m) => within('ada:', `$6$${m.base62(16)}$${m.base62(86)}`, ':19000:0:99999:7:::'),
  ],
  ['an Okta token', (m) => within('Authorization: SSWS ', `00${m.base62(40)}`)],
  ['an Okta token in code', (m) => within("headers: { Authorization: 'SSWS ", `00${m.base62(40)}`, "' }")],
  ['a client key in a kubeconfig', (m) => within('    client-key-data: ', m.base64(2_000))],
  ['a short client key in a kubeconfig', (m) => within('    "client-key-data": "', m.base64(160), '"')],
  ['a Rails master key', (m) => within('secret_key_base: ', m.hex(128))],
]
