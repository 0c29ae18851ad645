import { Hono } from 'hono'
import * as v from 'valibot'
import type { Database } from '../database/database.ts'
import { limitBody, readInput } from '../json-body.ts'
import { answerInvalid, answerProblem } from '../problem.ts'
import {
  answerLoginRequired,
  readBearerToken,
  requireVisitor,
  type VisitorEnv,
} from './require-visitor.ts'
import { endSession, type Login, startSession } from './sessions.ts'
import type { Visitor } from './visitor.ts'

const WHOLE = 'a JSON object { visitor: string }'
const VISITOR = 'the id of a visitor, for example "mina"'

const loginSchema = v.strictObject(
  { visitor: v.pipe(v.string(VISITOR), v.minLength(1, VISITOR), v.maxLength(100, VISITOR)) },
  VISITOR,
)

/**
 * `POST /session` logs a visitor in (without a password: this is a demo), `GET /session` says who is
 * logged in, `DELETE /session` makes the token worthless.
 */
export function sessionRoutes(database: Database): Hono<VisitorEnv> {
  return new Hono<VisitorEnv>()
    .post('/session', limitBody(), async context => {
      const input = await readInput(context, loginSchema, { whole: WHOLE, secrets: [] })
      if (!input.ok) return answerInvalid(context, input.errors)
      const login = await startSession(database, input.value.visitor)
      if (login) return context.json<Login>(login, 201)
      return answerProblem(context, {
        type: 'visitor-not-found',
        status: 404,
        title: 'There is no such visitor',
        detail: 'The demo has mina and jun.',
      })
    })
    .get('/session', requireVisitor(database), context =>
      context.json<{ visitor: Visitor }>({ visitor: context.var.visitor }),
    )
    .delete('/session', async context => {
      const token = readBearerToken(context)
      if (token === undefined) return answerLoginRequired(context)
      // Also for a token that is worthless already: a call repeated after a lost answer succeeds.
      await endSession(database, token)
      return context.body(null, 204)
    })
}
