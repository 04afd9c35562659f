const NAME = '[A-Za-z_][\\w:.-]*'
const TOKEN = new RegExp(
  `<(?<open>${NAME})(?<attributes>(?:\\s+${NAME}=(?:"[^"<]*"|'[^'<]*'))*)\\s*(?<empty>/?)>|</(?<close>${NAME})\\s*>|(?<text>[^<]+)`,
  'y',
)
const LOOSE_SIGN = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i
// What XML 1.0 cannot contain.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\]\]>/

/** Says why a document without prologue is not well-formed XML, or null. */
export function findFault(xml: string): string | null {
  const open: string[] = []
  let roots = 0
  for (TOKEN.lastIndex = 0; TOKEN.lastIndex < xml.length;) {
    const at = TOKEN.lastIndex
    const groups = TOKEN.exec(xml)?.groups
    if (groups === undefined) return `no markup at ${at}: ${xml.slice(at, at + 40)}`
    const { open: name, attributes = '', empty, close, text = '' } = groups
    if (LOOSE_SIGN.test(attributes + text) || FORBIDDEN.test(text)) return `a bad character near ${at}`
    if (text.trim() !== '' && open.length === 0) return `text outside of the root at ${at}`
    if (name !== undefined) {
      const names = [...attributes.matchAll(new RegExp(`\\s(${NAME})=`, 'g'))].map(([, one]) => one)
      if (new Set(names).size < names.length) return `an attribute twice at ${at}`
      if (open.length === 0) roots += 1
      if (empty === '') open.push(name)
    }
    if (close !== undefined && open.pop() !== close) return `${close} is closed and not open at ${at}`
  }
  if (open.length > 0) return `not closed: ${open.join(', ')}`
  return roots === 1 ? null : `${roots} roots`
}
