import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'

interface Lodash {
  readonly orderBy: (
    list: readonly object[],
    keys: readonly string[],
    orders?: readonly string[],
  ) => readonly object[]
}

const [, , root = ''] = process.argv
const { orderBy } = createRequire(join(root, 'x.js'))('./lodash.js') as Lodash
const people = [
  { team: 1, age: 2 },
  { team: 2, age: 1 },
  { team: 1, age: 3 },
]
const ages = (...orders: readonly string[]) =>
  orderBy(people, ['team', 'age'], orders).map((person) => Object.values(person).join(''))
assert.deepEqual(ages('asc', 'desc'), ['13', '12', '21'])
assert.deepEqual(ages('desc', 'desc'), ['21', '13', '12'])
assert.deepEqual(ages('desc'), ['21', '12', '13'])
assert.deepEqual(ages('desc', 'asc'), ['21', '12', '13'])
const { stdout } = spawnSync('git', ['diff', '--numstat'], { cwd: root, encoding: 'utf8' })
assert.match(stdout, /^[1-4]\t[1-4]\tlodash\.js\n$/, 'more was changed than needed')
