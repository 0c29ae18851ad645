/**
 * Keeps the first picture of the README current: TanStack Query's default above the preset, simulated by the lab
 * with the shipped code and drawn from a seed.
 *
 *   pnpm check:picture  fails where a picture, its text alternative or its caption is not what the code gives
 *   pnpm picture        writes both pictures, and the words into the README
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { drawPicture } from './herd-picture.ts'

const README = 'README.md'
const FOLDER = 'packages/lab/pictures'
/** The text alternative and the caption, with what stands before, between and after them. */
const WORDS = new RegExp(
  `(<img alt=")[^"]*(" src="${FOLDER}/herd-light\\.svg">\n</picture>\n\n<sub>).*(</sub>\n)`,
)

const { svg, alt, caption } = await drawPicture()
const readme = readFileSync(README, 'utf8')
const wanted: Record<string, string> = {
  [`${FOLDER}/herd-light.svg`]: svg.light,
  [`${FOLDER}/herd-dark.svg`]: svg.dark,
  [README]: readme.replace(
    WORDS,
    (_, before, between, after) => before + alt + between + caption + after,
  ),
}

if (!WORDS.test(readme)) {
  throw new Error(`${README} does not show ${FOLDER}/herd-light.svg with a caption in <sub>`)
}
if (process.argv.includes('--update')) {
  mkdirSync(FOLDER, { recursive: true })
  for (const [file, text] of Object.entries(wanted)) writeFileSync(file, text)
  console.log(Object.keys(wanted).join('\n'))
} else {
  const stale = Object.entries(wanted).filter(([file, text]) => read(file) !== text)
  for (const [file] of stale) {
    console.error(`${file} is out of date: run \`pnpm picture\`, look at it, and commit it.`)
  }
  if (stale.length === 0) console.log('The first picture of the README is current')
  process.exitCode = stale.length > 0 ? 1 : 0
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // Never made.
  }
}
