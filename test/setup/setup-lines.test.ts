import { describe, expect, it } from 'vitest'
import { createSetupLines } from '../../src/setup/setup-lines.ts'
import { createFilter } from '../../src/setup/setup-dialogs.ts'

const MODELS = Array.from({ length: 30 }, (_, index) => ({
  label: `model-${index + 1}`,
  note: index === 0 ? 'a note that mentions llama and goes on for very much longer than the row' : 'x',
  value: index + 1,
}))
const CHOICES = [...MODELS, { label: 'Llama', value: 99 }]

/** A person who types these lines on a terminal of so many columns. */
function openLines(typed: readonly string[], columns = 40) {
  const left = [...typed]
  const rows: string[] = []
  const dialogs = createSetupLines({
    columns: () => columns,
    print: (row) => rows.push(row),
    ask: async () => left.shift() ?? null,
    signal: new AbortController().signal,
  })
  return { dialogs, rows }
}

describe('choosing line by line', () => {
  it.for([
    [['3'], 3],
    [[''], 1],
    [['0'], null],
    [[], null],
    [['model-17'], 17],
    [['LLAMA'], 99],
    [['el-2', '2'], 20],
    [['nothing like it', '2'], 2],
    [['99', '2'], 2],
  ] as const)('%j is %j', async ([typed, value]) => {
    const { dialogs } = openLines(typed)
    expect(await dialogs.choose({ title: 'Which?', choices: CHOICES })).toBe(value)
  })

  it('a name that is not in the list is taken where names can be typed', async () => {
    const { dialogs } = openLines(['brand-new'])
    expect(
      await dialogs.choose<string | number>({ title: 'Which?', choices: CHOICES, other: (text) => text }),
    ).toBe('brand-new')
  })

  it.for([20, 40, 60])(
    'no row is wider than %i columns, and no text of a server draws anything',
    async (columns) => {
      const { dialogs, rows } = openLines(['1'], columns)
      const choices = [
        { label: `evil\u001b[2J\r${'long '.repeat(30)}`, note: '\u202Eback', value: 1 },
        ...MODELS,
      ]
      await dialogs.choose({ title: 'A title that has a good many words in it, more than fit', choices })
      for (const row of rows) {
        expect(row.length).toBeLessThan(columns)
        expect(row).not.toMatch(/[\u0000-\u001f\u202E]/)
      }
    },
  )
})

it('what has the words in its name comes before what has them in its note', () => {
  const find = createFilter({ choices: CHOICES })
  expect(find('llama').map(({ value }) => value)).toEqual([99, 1])
  expect(createFilter({ choices: CHOICES, takesAbove: true })('llama').map(({ value }) => value)).toEqual([
    1, 99,
  ])
})

it('a whole name comes before longer ones that contain it', () => {
  const choices = ['gpt-5-mini', 'gpt-5'].map((label) => ({ label, value: label }))
  expect(createFilter({ choices })('gpt-5').map(({ value }) => value)).toEqual(['gpt-5', 'gpt-5-mini'])
})

it('further words are read once for each choice while a question is open, and only if they are needed', () => {
  const read: string[] = []
  const choices = ['one', 'two', 'three'].map((label) => ({
    label,
    words: () => {
      read.push(label)
      return `what was said in ${label}, about Badgers`
    },
    value: label,
  }))
  const find = createFilter({ choices })
  expect(find('')).toHaveLength(3)
  expect(read).toEqual([])
  for (const typed of ['t', 'tw', 'two', 'two', 'two b', 'two ba', 'badgers two', 'two'])
    expect(find(typed)[0]?.value).toBe('two')
  expect(find('about badgers').map(({ value }) => value)).toEqual(['one', 'two', 'three'])
  expect(find('about otters')).toEqual([])
  expect(read.toSorted()).toEqual(['one', 'three', 'two'])
})
