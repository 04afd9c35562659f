export { chunk } from './lib/chunk.js'
export * as count from './lib/count.js'
export { unique } from './lib/unique.js'
export { formatList } from './lib/words.js'
