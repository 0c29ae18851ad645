import { MutationObserver, QueryClient, useMutation } from '@tanstack/react-query'
import { describe, expectTypeOf, it } from 'vitest'
import {
  defaultJournal,
  idempotentMutationOptions,
  ietfDraft,
  type KeyAnswer,
  useIdempotentMutation,
} from '../index.ts'

interface Order {
  id: string
  amount: number
}
interface Receipt {
  paymentId: string
}

const pay = async (_order: Order): Promise<Receipt> => ({ paymentId: 'pay_1' })
const contract = ietfDraft()
const journal = defaultJournal()
const named = {
  mutationKey: ['pay'],
  contract,
  journal,
  intent: (order: Order) => ['order', order.id],
  principal: 'ann',
}

describe('idempotentMutationOptions', () => {
  it('leaves data, error and variables of useMutation what its function makes them', () => {
    const { data, error, mutate } = useMutation(
      idempotentMutationOptions({ ...named, mutationFn: pay }),
    )
    expectTypeOf(data).toEqualTypeOf<Receipt | undefined>()
    expectTypeOf(error).toEqualTypeOf<Error | null>()
    expectTypeOf(mutate).parameter(0).toEqualTypeOf<Order>()
  })

  it('gives the mutation function the key and what TanStack gives', () => {
    idempotentMutationOptions({
      ...named,
      mutationFn: async (order: Order, context) => {
        expectTypeOf(context.idempotencyKey).toEqualTypeOf<string>()
        expectTypeOf(context.headers).toEqualTypeOf<Record<string, string>>()
        expectTypeOf(context.attempt).toEqualTypeOf<number>()
        expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>()
        expectTypeOf(context.client).toEqualTypeOf<QueryClient>()
        return order.id
      },
    })
  })

  it('infers what `onMutate` returns for the other callbacks', () => {
    idempotentMutationOptions({
      ...named,
      mutationFn: pay,
      onMutate: () => ({ before: 1 }),
      onSuccess: (receipt, order, before) => {
        expectTypeOf(receipt).toEqualTypeOf<Receipt>()
        expectTypeOf(order).toEqualTypeOf<Order>()
        expectTypeOf(before).toEqualTypeOf<{ before: number }>()
      },
    })
  })

  it('is for observers and defaults as well', () => {
    const client = new QueryClient()
    const options = idempotentMutationOptions({ ...named, mutationFn: pay })
    const observer = new MutationObserver(client, options)
    expectTypeOf(observer.mutate).parameter(0).toEqualTypeOf<Order>()
    client.setMutationDefaults(['pay'], options)
  })

  it('needs no intent: a key then covers the retries of one execution', () => {
    const { mutate } = useMutation(
      idempotentMutationOptions({ contract, mutationFn: async (id: number) => `${id}` }),
    )
    expectTypeOf(mutate).parameter(0).toEqualTypeOf<number>()
  })

  it('takes no intent without a principal: keys of two people would be one', () => {
    const { principal, ...unnamed } = { ...named, mutationFn: pay }
    // @ts-expect-error -- `principal` is missing
    idempotentMutationOptions(unnamed)
  })

  it('takes no intent without a mutation key, which names the operation', () => {
    const { mutationKey, ...unnamed } = { ...named, mutationFn: pay }
    // @ts-expect-error -- `mutationKey` is missing
    idempotentMutationOptions(unnamed)
  })

  it('takes no intent without a journal: its key would not survive a reload', () => {
    const { journal, ...unkept } = { ...named, mutationFn: pay }
    // @ts-expect-error -- `journal` is missing
    idempotentMutationOptions(unkept)
  })

  it('takes no options without a contract: nothing else tells what an answer settles', () => {
    // @ts-expect-error -- `contract` is missing
    idempotentMutationOptions({ mutationFn: pay })
  })
})

describe('useIdempotentMutation', () => {
  it('has the result of useMutation, and an intent whose result is the same data', () => {
    const { data, intent, mutate, resolve, startOver } = useIdempotentMutation({
      ...named,
      mutationFn: pay,
    })
    expectTypeOf(data).toEqualTypeOf<Receipt | undefined>()
    expectTypeOf(intent.result).toEqualTypeOf<Receipt | undefined>()
    expectTypeOf(mutate).parameter(0).toEqualTypeOf<Order>()
    expectTypeOf(startOver).returns.resolves.toBeVoid()
    expectTypeOf(resolve).returns.resolves.exclude<undefined>().toEqualTypeOf<KeyAnswer<Receipt>>()
  })

  it('takes a look-up that finds the same data', () => {
    useIdempotentMutation({
      ...named,
      mutationFn: pay,
      lookUp: async () => ({ finding: 'succeeded', result: { paymentId: 'pay_1' } }),
    })
    useIdempotentMutation({
      ...named,
      mutationFn: pay,
      // @ts-expect-error -- another result than the mutation's
      lookUp: async () => ({ finding: 'succeeded', result: 1 }),
    })
  })

  it('is told apart by state', () => {
    const { intent } = useIdempotentMutation({ ...named, mutationFn: pay })
    expectTypeOf(intent.state).extract<'none' | 'loading' | 'unknown'>().not.toBeNever()
  })

  it('takes no `subject` without `intent`: nothing would be kept of it', () => {
    useIdempotentMutation({ contract, mutationFn: pay })
    // @ts-expect-error -- `intent` would be 'none' for ever
    useIdempotentMutation({ contract, mutationFn: pay, subject: ['order', '1001'] })
  })

  it('infers what `intent` is given from `mutationFn`', () => {
    useIdempotentMutation({
      mutationKey: ['pay'],
      contract,
      journal,
      principal: 'ann',
      subject: ['order', '1001'],
      mutationFn: pay,
      intent: order => {
        expectTypeOf(order).toEqualTypeOf<Order>()
        return ['order', order.id]
      },
    })
  })
})
