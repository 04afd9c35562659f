import { relative } from 'node:path'
import { expect } from 'vitest'

/** What the running test is called where the values of laws are counted. */
export function nameLaw(): string {
  const { testPath = '', currentTestName = '' } = expect.getState()
  return `${relative(process.cwd(), testPath)} ${currentTestName}`.replaceAll(/\s+/g, ' ')
}
