import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const SOURCES = join(import.meta.dirname, '../../src')
/** What a long text is made of besides what the pattern itself asks for. */
const SIGNS = [...' \t\n\'"`,.;:=-+*/\\|&<>()[]{}@#$%^!?_~a1AxZ0é']
const GROUPS = [
  'a ',
  'a.',
  'a,',
  ' a',
  '\na',
  'a=',
  '- ',
  String.raw`\a`,
  'a:',
  "'a'",
  'a/',
  '()',
  '[]',
  '{}',
]
/** What keeps a pattern from being found at the end. */
const ENDS = ['\0', '\n!']
/** Patterns that are only ever tried on short texts, by the file they are in. */
const SHORT: Readonly<Record<string, string>> = {
  'core/text/secrets/find-random.ts': '200 characters around a value',
  'core/text/secrets/looks.ts': 'a value that may be a secret, which has at most a thousand',
  'core/text/secrets/places.ts': '300 characters around a value',
  'faces/tui/draw/ascii.ts': 'a row of the screen',
  'host/layer/enter/other-groups.ts': 'names of files in what our own program prints',
  'tools/test-reports/test-report.ts': 'lines of at most 1,000 characters',
}
const CHARS = 8000
/** A text that is looked through in less is not looked at more closely. */
const NOTICED_MS = 6
/** A text of four times the length may take so much longer; with the square it takes sixteen times as long. */
const MOST_GROWTH = 9

interface Pattern {
  readonly place: string
  readonly body: string
  readonly flags: string
}

/** What a value, and so a pattern, may stand behind. */
const BEFORE_VALUE = /(?:^|[^\w)\]}'"`\s]|\b(?:return|case|of|in))\s*$/
const PATTERN = /\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([a-z]*)/y
const SKIPPED = /\/\/[^\n]*|\/\*[^]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/y

/** The patterns of a source text: what stands between slashes where a value may begin, outside of comments and quotes. */
function* findPatterns(file: string, text: string): Generator<Pattern> {
  for (let at = 0; at < text.length; at += 1) {
    SKIPPED.lastIndex = at
    const skipped = SKIPPED.exec(text)
    if (skipped !== null) {
      at += skipped[0].length - 1
      continue
    }
    if (text[at] !== '/' || !BEFORE_VALUE.test(text.slice(Math.max(0, at - 40), at))) continue
    PATTERN.lastIndex = at
    const [whole, body = '', flags = ''] = PATTERN.exec(text) ?? []
    if (whole === undefined) continue
    yield { place: `${file}:${text.slice(0, at).split('\n').length}`, body, flags }
    at += whole.length - 1
  }
}

/** Parts of what the pattern looks for, as they stand in it. */
function partsOf(body: string): readonly string[] {
  const plain = body
    .replaceAll(/\\([^\w])/g, '$1')
    .replaceAll(/\(\?[:=!<]+|\[[^\]]*\]|\\[a-zA-Z]/g, ' ')
    .split(/[ ()|*+?{}^$[\]]+/)
  return [...new Set(plain.filter((part) => part !== '' && part.length < 12))].slice(0, 6)
}

/** The quickest of some looks, since what else the machine does can only make one slower. */
function timeOf(pattern: RegExp, text: string, looks: number): number {
  const times = Array.from({ length: looks }, () => {
    const begun = performance.now()
    pattern.lastIndex = 0
    pattern.exec(text)
    return performance.now() - begun
  })
  return Math.min(...times)
}

/** A text on which a pattern takes more than twice the time for twice the length; null if none was found. */
function findSlow({ body, flags }: Pattern): string | null {
  const pattern = new RegExp(body, flags)
  const parts = partsOf(body)
  const repeated = [...SIGNS, ...parts, ...parts.flatMap((part) => [`${part} `, `${part}\n`]), ...GROUPS]
  const begins = ['', ...parts, ...parts.map((part) => `${part} `), 'a', ' ', '\n', '"', "'"]
  for (const begin of begins)
    for (const unit of repeated)
      for (const end of ENDS) {
        const textOf = (chars: number): string => begin + unit.repeat(Math.ceil(chars / unit.length)) + end
        if (timeOf(pattern, textOf(CHARS), 1) < NOTICED_MS) continue
        const [short, long] = [CHARS, 4 * CHARS].map((chars) => timeOf(pattern, textOf(chars), 5))
        if (short !== undefined && long !== undefined && short > 1 && long > short * MOST_GROWTH)
          return JSON.stringify([begin, unit, end])
      }
  return null
}

describe('the patterns of the sources', () => {
  it('take time in proportion to a text, whatever it repeats', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    )
    const patterns = files
      .flatMap((file) => [...findPatterns(file, readFileSync(join(SOURCES, file), 'utf8'))])
      .filter(
        ({ place, body }) =>
          SHORT[place.split(':')[0] ?? ''] === undefined && /[*+]|\{\d+,(?:\d{4,})?\}/.test(body),
      )
    expect(patterns.length).toBeGreaterThan(500)
    const slow = patterns.flatMap((pattern) => {
      const text = findSlow(pattern)
      return text === null ? [] : [`${pattern.place} /${pattern.body}/${pattern.flags} on ${text}`]
    })
    expect(slow).toEqual([])
  })

  it.each([String.raw`\s+$`, String.raw`\((.*)\)$`, String.raw`(\d+) ([a-z]+)`, '^-[A-Za-z]*c[A-Za-z]*$'])(
    'control: %s does not',
    (body) => {
      expect(findSlow({ place: '', body, flags: '' })).not.toBe(null)
    },
  )
})
