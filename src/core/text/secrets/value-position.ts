import { nameKindOf } from './secret-names.ts'
import { LOGIN_END } from './stands-for-place.ts'

/** How far it is looked around a value. */
const AROUND = 300
/** What stands between a name and its value, as in `name: "`, `name = ` and `name: Bearer `. */
const LEFT =
  /(?<![\w.-])([\w.-]{1,128})(?:\\{0,4}["'`])?\]?(?:([ \t]{0,8}(?:=>|:=|\?=|=)[ \t]{0,8}|:[ \t]{1,8}|:(?=\\{0,4}["'`]))(\\{0,4}["'`])?((?:Bearer|Basic|token)[ \t]{1,4})?)$/i
/** Names of secrets beyond those by which results are redacted. */
const SECRET = /(?:^|[_.-])(?:key|auth|bearer|cookie|session|webhook)s?$/i
/** What may stand in front of an assignment: behind any other word, `name=value` may as well be a name. */
const LEAD =
  /(?:^[ +-]?[ \t]*(?:-[ \t]+)?|[,;&|?({[$][ \t]*)(?:(?:export|set|ENV|ARG|readonly|-e|--env)[ \t]+)?$/
const IN_LOGIN = /:\/\/[^\s/\\?#"'`<>]*$/

/** What a value is assigned to. */
interface Left {
  /** Without what it is a member of. */
  readonly name: string
  /** Whether it can be nothing but the value of a secret. */
  readonly isSecret: boolean
}

/** Whether a name says that its value is a secret. */
export const namesSecret = (name: string): boolean => nameKindOf(name) !== undefined || SECRET.test(name)

/** The name that the value at a position is assigned to, if any. */
export const leftOf = (text: string, at: number): Left | undefined => {
  const before = text.slice(Math.max(0, at - AROUND), at)
  const line = before.slice(before.lastIndexOf('\n') + 1)
  const [whole, name = '', sign = '', quote = ''] = LEFT.exec(line) ?? []
  if (whole === undefined) return undefined
  const lead = line.slice(0, -whole.length)
  return { name: lastOf(name), isSecret: namesSecret(name) && isSetting({ lead, name, sign, quote }) }
}

const lastOf = (name: string): string => name.replace(/^-+/, '').replace(/^.*\./, '')

/** Whether this cannot be one of the words of a command, such as `npm run token=...`. */
const isSetting = ({ lead, name, sign, quote }: Record<'lead' | 'name' | 'sign' | 'quote', string>) => {
  if (name.startsWith('-') || LEAD.test(lead)) return true
  const isTight = /^(?:=|:=|\?=)$/.test(sign)
  return !isTight && (quote !== '' || /["'`]$/.test(lead))
}

/** Whether a value is the user or the password of a URL. */
export const isLogin = (text: string, { start, end }: { readonly start: number; readonly end: number }) =>
  IN_LOGIN.test(text.slice(Math.max(0, start - AROUND), start)) &&
  LOGIN_END.test(text.slice(end, end + AROUND))

/** A line beside one that is a value: of a diff or empty, or one long word. Any other one may go on in the next. */
const BESIDE = /^(?:@@.*|--- .*|\+\+\+ .*|\\ .*|diff .*|[ +-]?[ \t]*(?:[\w.+/=~:-]{16,})?[ \t]*\r?)(?<!\\)$/

/** Whether a value is a line of a text, or of a diff, that consists of such lines. */
export const isLineOfValues = (
  text: string,
  { from, end }: { readonly from: number; readonly end: number },
): boolean => {
  const before = text.slice(Math.max(0, from - AROUND), from).split('\n')
  const after = text.slice(end, end + AROUND).split('\n')
  const [lead = '', above = ''] = [before.at(-1), before.at(-2)]
  const [rest = '', below = ''] = after
  const isWhole = /^[ +-]?[ \t]*$/.test(lead) && /^[ \t]*\r?$/.test(rest)
  return isWhole && BESIDE.test(above) && BESIDE.test(below)
}
