/** Callbacks of a walk; offsets are in UTF-16 units and include the quotes of a key. */
export type JsonVisitor = {
  readonly open: (offset: number) => void
  readonly close: () => void
  readonly key: (start: number, end: number) => void
  readonly item: () => void
  readonly number: (start: number, end: number) => void
}

type Need = 'value' | 'item' | 'first item' | 'key' | 'first key' | 'end'

/** The state of a walk: the offset, what may come next, and the closing brackets of all open containers. */
type Walk = {
  readonly text: string
  readonly visitor: JsonVisitor
  readonly closers: ('}' | ']')[]
  at: number
  need: Need
}

const EXPECTED: Record<Exclude<Need, 'end'>, string> = {
  value: 'a value',
  item: 'a value',
  'first item': 'a value or "]"',
  key: 'a key in double quotes',
  'first key': 'a key in double quotes or "}"',
}

const fail = ({ text, at }: Walk, expected: string): SyntaxFailure => ({
  offset: at,
  message: `found ${nameUnit(text, at)} where ${expected} was expected`,
})

const openContainer = (walk: Walk, closer: '}' | ']', need: Need): void => {
  walk.closers.push(closer)
  walk.visitor.open(walk.at)
  walk.need = need
  walk.at += 1
}

const closeContainer = (walk: Walk): void => {
  walk.closers.pop()
  walk.visitor.close()
  walk.need = 'end'
  walk.at += 1
}

const readAfterValue = (walk: Walk, unit: string): SyntaxFailure | undefined => {
  const closer = walk.closers.at(-1)
  if (closer === undefined) {
    return {
      offset: walk.at,
      message: `found ${nameUnit(walk.text, walk.at)} after the end of the JSON value`,
    }
  }
  if (unit === closer) closeContainer(walk)
  else if (unit !== ',') return fail(walk, `"," or "${closer}"`)
  else {
    walk.need = closer === '}' ? 'key' : 'item'
    walk.at += 1
  }
  return undefined
}

const readKey = (walk: Walk, unit: string, expected: string): SyntaxFailure | undefined => {
  if (unit !== '"') return fail(walk, expected)
  const end = skipString(walk.text, walk.at)
  if (typeof end !== 'number') return end
  walk.visitor.key(walk.at, end)
  walk.at = skipBlanks(walk.text, end)
  if (walk.text.charAt(walk.at) !== ':') return fail(walk, '":" after a key')
  walk.at += 1
  walk.need = 'value'
  return undefined
}

const readValue = (walk: Walk, unit: string, expected: string): SyntaxFailure | undefined => {
  if (walk.need !== 'value') walk.visitor.item()
  if (unit === '{') openContainer(walk, '}', 'first key')
  else if (unit === '[') openContainer(walk, ']', 'first item')
  else {
    const end = unit === '"' ? skipString(walk.text, walk.at) : skipScalar(walk.text, walk.at)
    if (typeof end !== 'number') return end
    if (end === walk.at) return fail(walk, expected)
    if (unit === '-' || (unit >= '0' && unit <= '9')) walk.visitor.number(walk.at, end)
    walk.at = end
    walk.need = 'end'
  }
  return undefined
}

const readNext = (walk: Walk): SyntaxFailure | undefined => {
  const unit = walk.text.charAt(walk.at)
  const { need } = walk
  if (need === 'end') return readAfterValue(walk, unit)
  if ((need === 'first key' || need === 'first item') && unit === walk.closers.at(-1)) {
    closeContainer(walk)
    return undefined
  }
  const read = need === 'key' || need === 'first key' ? readKey : readValue
  return read(walk, unit, EXPECTED[need])
}

/** Walks JSON text of any depth without recursion; returns the first syntax error, if any. */
export const walkJson = (text: string, visitor: JsonVisitor): SyntaxFailure | undefined => {
  const walk: Walk = { text, visitor, closers: [], at: skipBlanks(text, 0), need: 'value' }
  if (walk.at === text.length)
    return { offset: walk.at, message: 'the text is empty; a JSON value was expected' }
  while (walk.at < text.length || walk.need !== 'end' || walk.closers.length > 0) {
    const failure = readNext(walk)
    if (failure !== undefined) return failure
    walk.at = skipBlanks(text, walk.at)
  }
  return undefined
}

/** A syntax error: what was found and expected, and at which UTF-16 offset. */
type SyntaxFailure = { readonly offset: number; readonly message: string }

const BLANKS = /[ \t\n\r]*/y
const PLAIN = /[^"\\\u0000-\u001F]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y

const endOf = (token: RegExp, text: string, from: number): number => {
  token.lastIndex = from
  return token.test(text) ? token.lastIndex : from
}

/** The offset after the whitespace that begins at `from`. */
const skipBlanks = (text: string, from: number): number => endOf(BLANKS, text, from)

/** The offset after the number or word that begins at `from`; `from` itself if there is none. */
const skipScalar = (text: string, from: number): number => {
  const end = endOf(NUMBER, text, from)
  return end > from ? end : endOf(WORD, text, from)
}

/** The offset after the string whose opening quote is at `from`. */
const skipString = (text: string, from: number): number | SyntaxFailure => {
  let at = from + 1
  for (;;) {
    at = endOf(PLAIN, text, at)
    const unit = text.charAt(at)
    if (unit === '"') return at + 1
    if (unit === '')
      return { offset: at, message: 'the text ends inside a string; its closing quote is missing' }
    if (unit !== '\\') {
      return { offset: at, message: `unescaped ${nameUnit(text, at)} inside a string; write it as an escape` }
    }
    const end = endOf(ESCAPE, text, at)
    if (end === at) return { offset: at, message: 'a backslash that does not begin a valid JSON escape' }
    at = end
  }
}

/** Names the character at an offset, in ASCII. */
const nameUnit = (text: string, at: number): string => {
  const point = text.codePointAt(at)
  if (point === undefined) return 'the end of the text'
  if (point === 0xfeff) return 'a byte order mark'
  return point > 0x20 && point < 0x7f
    ? `"${String.fromCodePoint(point)}"`
    : `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}
