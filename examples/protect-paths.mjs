// A gate that denies changes below some paths and asks a person about changes below others.
//
//   [[tools.gates]]
//   name = "protect"
//   command = ["node", "/home/me/gates/protect-paths.mjs", "--deny", "migrations", "--ask", "package.json"]
//
// The call comes as JSON on stdin; the answer goes to stdout.
import { readFileSync } from 'node:fs'
import { relative, sep } from 'node:path'

const call = JSON.parse(readFileSync(0, 'utf8'))
const changed = call.claims.filter(({ intent }) => intent === 'write').map(placeOf)
const verdict = findTouched('--deny') ? 'deny' : findTouched('--ask') ? 'ask' : 'abstain'
const touched = findTouched(`--${verdict}`)
console.log(JSON.stringify(touched ? { verdict, say: `${touched} is protected` } : { verdict }))

/** The place a path leads to, relative to the root: a link counts as its target. */
function placeOf({ path, resolved, folder }) {
  const place = resolved === null ? path : relative(call.root, resolved).split(sep).join('/')
  return { place, folder }
}

/**
 * What a change touches of the paths that this option names: a changed path at or below one of them, or one of them
 * below a changed folder, which changes with everything in it.
 */
function findTouched(option) {
  const words = process.argv.slice(2)
  const named = words.filter((_word, index) => words[index - 1] === option)
  for (const { place, folder } of changed) {
    if (named.some((one) => isWithin(place, one))) return place
    const within = folder ? named.find((one) => isWithin(one, place)) : undefined
    if (within !== undefined) return within
  }
  return undefined
}

function isWithin(path, folder) {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}
