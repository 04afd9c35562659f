const names = ['copy', 'pack', 'send', 'mail', 'sweep', 'print', 'close']

/** The jobs of a day. */
export const jobs = names.map((name, at) => ({ name, run: () => `job ${at + 1} done` }))
