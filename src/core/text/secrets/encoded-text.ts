import { isUnreadable } from './looks.ts'

const ALPHABETS: readonly (readonly [
  part: RegExp,
  charsPerStep: number,
  decode: (part: string) => string,
])[] = [
  [/[A-Za-z0-9+/_-]{16,}/g, 4, (part) => atob(part.replaceAll('-', '+').replaceAll('_', '/'))],
  [
    /[0-9A-Fa-f]{24,}/g,
    2,
    (part) => part.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))),
  ],
]
/** Random bytes have no run of so many characters that can be read. */
const READABLE = /[\t\n\r\u0020-\u007E]{12,}/g

/** What can be read in a value if it is decoded from base64 or hexadecimal digits, whichever of its characters is the first. */
export const textsEncodedIn = (value: string): readonly string[] =>
  ALPHABETS.flatMap(([alphabet, step, decode]) =>
    (value.match(alphabet) ?? []).flatMap((part) =>
      Array.from({ length: step }, (_, skipped) => {
        const rest = part.slice(skipped)
        // One character of a step says nothing yet.
        const decoded = decode(rest.length % step === 1 ? rest.slice(0, -1) : rest)
        // Text of two or four bytes a character has them between its letters.
        return decoded.replaceAll('\0', '').match(READABLE) ?? []
      }).flat(),
    ),
  )

/**
 * What issued values have in them: ids, the host of a registry, the first and the last line of a key, and the names that
 * keys of OpenSSH begin and end with.
 */
const OWN_TEXT =
  /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\bpypi\.org\b|-----(?:BEGIN|END) [A-Z0-9 ]*-{0,5}|openssh-key-v1|(?:ssh|ecdsa-sha2|sk-ssh)-[a-z\d-]+(?:@openssh\.com)?|^[\w.+-]+@[\w.-]+/g
/**
 * What tokens of PyPI have in them, behind one sign for its length: the id of whoever has it, and for whom or for what it
 * is. The names of projects are judged like other text.
 */
const OF_PYPI =
  /^\$[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$|^.?(?:\[3, ?"[\da-f-]{36}"\]|\{"permissions": ?"user", ?"version": ?1\})$|^.?(?:\[1, ?|\{"version": ?1, ?"permissions": ?\{"projects": ?)\["|"\](?:\]|\}\})$/g
/** What a shell, or a path, has in it; or so much text that it could be the name of anything. */
const MEANT = /[\t ;&|<>$`()/]|\n[a-z./_-]{3,}(?:\n|$)|[\u0020-\u007E]{12,}/

/** A line of a key that was encoded once more. */
const KEY_LINE = /^[A-Za-z0-9+/]{1,76}={0,2}$/gm

/** Whether a value of a known format carries words that a shell could be given, or the name of something. */
export const carriesWords = (value: string): boolean =>
  textsEncodedIn(value).some((text) =>
    MEANT.test(
      text
        .replace(OF_PYPI, '')
        .replace(OWN_TEXT, '')
        .replace(KEY_LINE, (line) => ([line, ...textsEncodedIn(line)].every(isUnreadable) ? '' : line)),
    ),
  )
