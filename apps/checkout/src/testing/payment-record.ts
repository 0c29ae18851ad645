/** This browser's record of paying an order, as the library names it: whoever breaks these tests has moved it. */
const nameOf = (order: string) => `query-retry.intent:["mina","[\\"pay\\"]","order","${order}"]`

/** The tests' own hand in what the browser has written down of a payment. */
export const paymentRecord = {
  text: (order: string) => localStorage.getItem(nameOf(order)) ?? '',
  replace: (order: string, text: string) => localStorage.setItem(nameOf(order), text),
  change(order: string, members: object): void {
    const record = JSON.parse(paymentRecord.text(order)) as object
    paymentRecord.replace(order, JSON.stringify({ ...record, ...members }))
  },
}
