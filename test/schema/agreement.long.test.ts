import { expect, it } from 'vitest'
import { compileSchema } from '../../src/schema/compile-schema.ts'
import { compareWithAjv } from './agreement.ts'

it('SRD/D-02: Ajv says the same of twenty thousand random schemas', () => {
  const { disagreement, compared } = compareWithAjv(compileSchema, 20_000, 2)
  expect(disagreement).toBeNull()
  expect(compared).toBeGreaterThan(100_000)
})
