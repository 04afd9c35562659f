import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , root = ''] = process.argv
const read = (top: string, file: string) => readFileSync(join(top, file), 'latin1')
const original = join(import.meta.dirname, 'files')

/** The file is what it was, with one text in the place of another. */
function changed(file: string, old: string, replacement: string): void {
  assert.equal(
    read(root, file),
    read(original, file).replace(old, () => replacement),
    file,
  )
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le').toString('latin1')
changed('package.json', '4.1.2', '4.1.3')
changed('installer/strings.txt', utf16('4.1.2'), utf16('4.1.3'))
changed('locales/de.ini', 'Zur\u00FCck', 'Schlie\u00DFen')
changed('locales/fr.ini', 'Retour', 'Fermer \u00E0 pr\u00E9sent')
const changes = read(root, 'CHANGES.md')
const [before = '', after = ''] = read(original, 'CHANGES.md').split('## 4.1.2')
assert.ok(changes.startsWith(before), 'the beginning of CHANGES.md changed')
assert.ok(changes.endsWith(`## 4.1.2${after}`), 'the rest of CHANGES.md changed')
const added = changes.slice(before.length, changes.length - `## 4.1.2${after}`.length)
assert.match(added, /^## 4\.1\.3\r\n(?:\r\n)?- comments with \/\/\r\n(?:\r\n)?$/)
const code = read(root, 'lib/ini.js')
assert.equal(code.replaceAll('\r\n', '').includes('\n'), false, 'lib/ini.js has lost its line endings')
assert.ok(Math.abs(code.split('\r\n').length - read(original, 'lib/ini.js').split('\r\n').length) <= 3)
const { decode } = createRequire(join(root, 'x.js'))('./lib/ini.js') as {
  readonly decode: (text: string) => Readonly<Record<string, unknown>>
}
assert.deepEqual(
  { ...decode('// one\n  // two=2\na=1 // not\nb=http://x\n; c\n# d') },
  { a: '1 // not', b: 'http://x' },
)
