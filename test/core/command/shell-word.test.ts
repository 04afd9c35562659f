import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { shellWord } from '../../../src/core/command/shell-word.ts'

it.each([
  ['src/a.ts', 'src/a.ts'],
  ['two words', "'two words'"],
  ['', "''"],
  ["sed -i 's/a/b/' *.js", `"sed -i 's/a/b/' *.js"`],
  [`echo '$HOME'`, String.raw`'echo '\''$HOME'\'''`],
  [`say "it's"`, String.raw`'say "it'\''s"'`],
  ["it's 1!", String.raw`'it'\''s 1!'`],
])('%j is shown as %s', (word, shown) => {
  expect(shellWord(word)).toBe(shown)
})

it('a shell reads every word as it was', () => {
  const characters = fc.constantFrom(...`'"$\`\\! ~*?[]{}()<>|&;#\n\tab=`)
  const words = fc.array(fc.string({ unit: characters }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(words, (all) => {
      const line = `printf '%s\\0' ${all.map(shellWord).join(' ')}`
      for (const shell of ['sh', 'bash'])
        expect(execFileSync(shell, ['-c', line], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(all)
    }),
    { numRuns: 20 },
  )
})
