import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderConfigurationPage } from '../../src/config/configuration-page.ts'
import { KEY_NAMES } from '../../src/config/keys.ts'
import { RULE_TYPES } from '../../src/config/rule-types.ts'

describe('the page about configuration', () => {
  const page = renderConfigurationPage()

  it('is the one in the folder of documents', () => {
    const file = join(import.meta.dirname, '..', '..', 'docs', 'configuration.md')
    expect(readFileSync(file, 'utf8')).toBe(page)
  })

  it('has one row for each key and each type of rule, all of the same width', () => {
    for (const key of KEY_NAMES) expect(page.split(`\n| \`${key}\` |`)).toHaveLength(2)
    for (const type of Object.keys(RULE_TYPES)) expect(page.split(`\n| \`${type}\` |`)).toHaveLength(2)
    const widths = page
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.replaceAll('\\|', '').split('|').length)
    expect(new Set(widths)).toEqual(new Set([8, 6]))
  })
})
