import assert from 'node:assert/strict'
import { join } from 'node:path'

interface Queue {
  readonly add: (value: number) => void
  readonly take: () => number | undefined
}

const [, , root = ''] = process.argv
const { createQueue } = (await import(join(root, 'queue.js'))) as {
  readonly createQueue: (size: number) => Queue
}
const queue = createQueue(3)
const taken: (number | undefined)[] = []
for (let value = 1; value <= 20; value++) {
  queue.add(value)
  if (value % 4 !== 0) taken.push(queue.take())
}
for (;;) {
  const value = queue.take()
  if (value === undefined) break
  taken.push(value)
}
assert.deepEqual(
  taken,
  Array.from({ length: 20 }, (_, at) => at + 1),
)
