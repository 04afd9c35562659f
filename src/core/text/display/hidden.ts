/**
 * What counts as hidden: characters that a terminal acts on, or that a reader does not see. The sanitiser replaces
 * them, JSON output escapes them and notes name them, so the set is written here once: control characters but tab and
 * line ends, bidi controls, line and paragraph separators, all that Unicode lets a display ignore (joiners, fillers,
 * selectors, tags), interlinear annotation and lone surrogates. It is spelled out because property classes take a
 * millisecond to build. Carriage returns are left to each user: before a line feed they are harmless.
 */
const HIDDEN = [
  String.raw`[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5`,
  String.raw`\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uD800-\uDFFF\uFE00-\uFE0F\uFEFF\uFFA0`,
  String.raw`\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]`,
].join('')

/** Quick test: text without a match needs no replacing at all (a carriage return counts as a match here). */
export const SUSPICIOUS = new RegExp(String.raw`\r|${HIDDEN}`, 'v')

/** Every hidden character. */
export const EVERY_HIDDEN = new RegExp(HIDDEN, 'gv')

/** Every hidden character, and carriage returns with the line feed they belong to. */
export const HIDDEN_OR_RETURN = new RegExp(String.raw`\r\n?|${HIDDEN}`, 'gv')

/** Every hidden character, and carriage returns without a line feed. */
export const HIDDEN_OR_LONE_RETURN = new RegExp(String.raw`\r(?!\n)|${HIDDEN}`, 'gv')
