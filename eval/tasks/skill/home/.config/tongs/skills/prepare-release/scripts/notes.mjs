import { readdirSync, readFileSync } from 'node:fs'

const [, , folder] = process.argv
const notes = readdirSync(folder)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8').trim())
const kinds = ['Added', 'Changed', 'Fixed']
for (const kind of kinds) {
  const own = notes
    .filter((note) => note.startsWith(`${kind}:`))
    .map((note) => note.slice(kind.length + 1).trim())
  if (own.length > 0)
    console.log(
      `**${kind}**\n\n${own
        .toSorted()
        .map((note) => `* ${note}`)
        .join('\n')}\n`,
    )
}
