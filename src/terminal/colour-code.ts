import type { Paint, Style } from './paint.ts'

/** How a family of languages writes comments. */
type Family = 'slashes' | 'hashes' | 'dashes'

const FAMILIES: Readonly<Record<Family, readonly string[]>> = {
  slashes:
    'c cc cpp cs css cxx dart go h hpp java javascript js json jsonc jsx kt kts less mjs cjs mts cts php proto rs rust scala scss swift ts tsx typescript zig'.split(
      ' ',
    ),
  hashes:
    'bash cfg conf dockerfile ex exs fish jl makefile mk nix perl pl ps1 py python r rb ruby sh shell tf toml yaml yml zsh'.split(
      ' ',
    ),
  dashes: 'elm hs lua sql'.split(' '),
}

const KEYWORDS: ReadonlySet<string> = new Set(
  `abstract and as assert async await begin bool boolean break case catch chan char class const constructor continue
  def default defer del delete do done double elif else elsif end enum esac except export extends extern false fi final
  finally float fn for foreach from func function global go goto if impl implements import in instanceof int interface
  is lambda let local long loop match mod module mut namespace new nil none None nonlocal not null null of operator or
  override package pass private protected pub public raise range readonly require rescue return select self short signed
  sizeof static struct super switch template then this throw throws trait true True False try type typedef typeof
  undefined union unless unsafe unsigned until use using var virtual void volatile when where while with yield
  SELECT FROM WHERE INSERT INTO UPDATE DELETE CREATE TABLE JOIN ON AND OR NOT NULL ORDER BY GROUP VALUES SET`.split(
    /\s+/,
  ),
)

const COMMENTS: Readonly<Record<Family, string>> = {
  slashes: '//.*|/\\*.*?(?:\\*/|$)|^\\s*\\*(?:[\\s/].*)?$',
  hashes: '(?:^|(?<=\\s))#.*',
  dashes: '--.*',
}
const REST =
  '"(?:\\\\.|[^"\\\\])*"?|\'(?:\\\\.|[^\'\\\\])*\'?|`(?:\\\\.|[^`\\\\])*`?|\\b\\d[\\w.]*|[A-Za-z_$][\\w$]*'

const PATTERNS: Readonly<Record<Family, RegExp>> = {
  slashes: patternOf('slashes'),
  hashes: patternOf('hashes'),
  dashes: patternOf('dashes'),
}

function patternOf(family: Family): RegExp {
  return new RegExp(`(?<comment>${COMMENTS[family]})|${REST}`, 'g')
}

const NAMES: ReadonlyMap<string, Family> = new Map(
  (Object.keys(FAMILIES) as Family[]).flatMap((family) =>
    FAMILIES[family].map((name) => [name, family] as const),
  ),
)

/** What each kind of token looks like; on a changed line, whose colour says how it changed, only its weight. */
const LOOKS = {
  own: { keyword: 'magenta', literal: 'cyan', comment: 'dim' },
  changed: { keyword: 'bold', literal: null, comment: 'italic' },
} as const satisfies Record<string, Readonly<Record<string, Style | null>>>

/** Lines this long are not source that people read. */
const LONGEST = 2_000

/** Colours a line of a file by its language; `name` is its path or the word behind a fence. `base` is the colour of all of it. */
export function colourCode(line: string, name: string, paint: Paint, base: Style | null = null): string {
  const all = (text: string): string => (base === null ? text : paint(base, text))
  const family = NAMES.get(
    name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1).toLowerCase(),
  )
  if (family === undefined || line.length > LONGEST) return all(line)
  const looks = base === null ? LOOKS.own : LOOKS.changed
  return all(
    line.replace(PATTERNS[family], (token, comment: string | undefined) => {
      const kind = comment !== undefined ? 'comment' : /^["'`\d]/.test(token) ? 'literal' : 'keyword'
      if (kind === 'keyword' && !KEYWORDS.has(token)) return token
      const style = looks[kind]
      return style === null ? token : paint(style, token)
    }),
  )
}
