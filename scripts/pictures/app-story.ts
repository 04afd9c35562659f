/** The project in the recordings. */
export const FILES: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "orders",
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'total.js': `/** The sum of the prices of an order. */
export function totalOf(prices) {
  return prices.reduce((sum, price) => sum - price, 0)
}

export function withTax(prices, rate) {
  return totalOf(prices) * (1 + rate)
}
`,
  'total.test.js': `import { strictEqual } from 'node:assert'
import { test } from 'node:test'
import { totalOf } from './total.js'

test('an order of three', () => strictEqual(totalOf([1, 2, 3]), 6))
`,
  'invoice.js': `import { totalOf } from './total.js'

export const print = (order) => \`Total: \${totalOf(order.prices)}\`
`,
}

/** What the model says and calls in a turn of a recording. */
interface Turn {
  readonly text: string
  readonly calls?: readonly object[]
}

const call = (id: string, name: string, args: object): object => ({ id, name, args })

const MEND = call('c4', 'edit_file', { path: 'total.js', old: 'sum - price', new: 'sum + price' })

/** A bug is found, mended after a question, and tested. */
export const MENDING: readonly Turn[] = [
  {
    text: 'I look where the total is made, and run the tests.',
    calls: [
      call('c1', 'search', { query: 'totalOf' }),
      call('c2', 'read_file', { path: 'total.js' }),
      call('c3', 'run_tests', {}),
    ],
  },
  { text: '`totalOf` subtracts where it should add.', calls: [MEND] },
  { text: 'Now the tests again.', calls: [call('c5', 'run_tests', {})] },
  { text: 'An order of `1`, `2` and `3` comes to 6 now.' },
]

/** A question with two hunks, of which one is wanted. */
export const APPROVAL: readonly Turn[] = [
  {
    text: 'I call prices amounts, everywhere.',
    calls: [call('c1', 'replace', { old: 'prices', new: 'amounts', paths: ['total.js', 'invoice.js'] })],
  },
  { text: '`total.js` has amounts now; an order keeps its `prices`.' },
]

/** A change of two files that the app is killed over. */
export const KILLED: readonly Turn[] = [
  {
    text: 'I rename `totalOf` to `sumOf` in every file.',
    calls: [call('c1', 'replace', { old: 'totalOf', new: 'sumOf', paths: ['*.js'] })],
  },
  { text: '`sumOf` it is, in three files.' },
]

/** A command that changes files, and is taken back. */
export const COMMAND: readonly Turn[] = [
  {
    text: 'I let `sed` do it.',
    calls: [
      call('c1', 'run_shell', { cmd: ['sh', '-c', "sed -i 's/price/amount/g' *.js && rm invoice.js"] }),
    ],
  },
  { text: 'Prices are amounts now, and the invoice is gone.' },
]
