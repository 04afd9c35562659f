import { showPath } from '../../core/text/display/show-path.ts'
import type { Settings } from '../../config/keys.ts'
import { checkElisp } from './check-elisp.ts'
import { checkJson, checkToml } from './check-data.ts'
import { placeFaults } from './syntax-problem.ts'
import type { SyntaxFault, SyntaxProblem } from './syntax-problem.ts'

/** Parses a text with a grammar and returns its syntax errors; null if no such parser is available. */
export type ParseTree = (grammar: string, text: string) => Promise<readonly SyntaxFault[] | null>

/** A change to the text of one file; null means there is no such file. */
export interface ContentChange {
  readonly path: string
  readonly before: string | null
  readonly after: string | null
  readonly settings: Pick<Settings, 'tools.edit.syntax_check'>
  readonly parseTree?: ParseTree
}

/** The verdict on a change: a note is about an error that existed before, a warning about a new one. */
export interface ContentVerdict {
  readonly verdict: 'pass' | 'note' | 'warn' | 'refuse'
  readonly problems: readonly SyntaxProblem[]
  /** Empty if there is nothing to say. */
  readonly message: string
}

const PASS: ContentVerdict = { verdict: 'pass', problems: [], message: '' }

/** Checks whether a change breaks the syntax of a file that parsed before. */
export async function checkContent(change: ContentChange): Promise<ContentVerdict> {
  const { path, before, after, settings, parseTree } = change
  const language = languageOf(path)
  if (after === null || language === null) return PASS
  const rule = settings['tools.edit.syntax_check'][language.extension] ?? 'warn'
  if (rule === 'off') return PASS
  const problems = await findProblems(language, after, parseTree)
  const [first] = problems
  if (first === undefined) return PASS
  const place = describe(first, problems.length)
  if (before !== null && (await findProblems(language, before, parseTree)).length > 0) {
    return {
      verdict: 'note',
      problems,
      message: `${showPath(path)} had a syntax error before, and has one still: ${place}`,
    }
  }
  return rule === 'warn'
    ? { verdict: 'warn', problems, message: `${showPath(path)} has a syntax error after this edit: ${place}` }
    : {
        verdict: 'refuse',
        problems,
        message: `The edit would break the syntax of ${showPath(path)}: ${place}`,
      }
}

async function findProblems(
  language: Language,
  text: string,
  parseTree: ParseTree | undefined,
): Promise<readonly SyntaxProblem[]> {
  switch (language.is) {
    case 'elisp':
      return checkElisp(text)
    case 'json':
      return checkJson(text)
    case 'toml':
      return checkToml(text)
    case 'tree':
      return placeFaults(text, (await parseTree?.(language.grammar, text)) ?? [])
  }
}

function describe({ message, suggestion }: SyntaxProblem, count: number): string {
  const more =
    count === 1 ? '' : ` There ${count === 2 ? 'is 1 more problem' : `are ${count - 1} more problems`}.`
  return `${message}. ${suggestion}${more}`
}

/** How the content of a file is checked. */
type Language =
  | { readonly is: 'elisp' | 'json' | 'toml'; readonly extension: string }
  | { readonly is: 'tree'; readonly grammar: string; readonly extension: string }

/** Grammars by extension. Grammars that reject valid files are left out. */
const GRAMMARS: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
  rb: 'ruby',
  css: 'css',
  sh: 'bash',
  bash: 'bash',
  cs: 'c-sharp',
  php: 'php',
}

/** Files that end in .json but may contain comments. */
const COMMENTED = [
  /^(?:ts|js)config(?:[.-].*)?\.json$/,
  /^(?:devcontainer|tslint|deno|biome|turbo|wrangler|api-extractor|language-configuration)\.json$/,
  /^\.(?:eslintrc|babelrc|swcrc|jshintrc|oxlintrc|oxfmtrc|devcontainer)\.json$/,
]
const COMMENTED_FOLDERS = new Set(['.vscode', '.devcontainer', '.zed'])

/** The language of a file; null if nothing checks it. */
export function languageOf(path: string): Language | null {
  const names = path.split('/')
  const name = (names.at(-1) ?? '').toLowerCase()
  const extension =
    /[^.]\.([^.]+)$|^\.([^.]+)$/
      .exec(name)
      ?.slice(1)
      .find((part) => part !== undefined) ?? ''
  if (extension === 'el') return { is: 'elisp', extension }
  if (extension === 'toml') return { is: 'toml', extension }
  if (extension === 'json') {
    const mayComment =
      COMMENTED.some((pattern) => pattern.test(name)) || COMMENTED_FOLDERS.has(names.at(-2) ?? '')
    return mayComment ? null : { is: 'json', extension }
  }
  const grammar = Object.hasOwn(GRAMMARS, extension) ? GRAMMARS[extension] : undefined
  return grammar === undefined ? null : { is: 'tree', grammar, extension }
}
