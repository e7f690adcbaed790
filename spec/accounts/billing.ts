// Money on a hosted server: what a credit is worth. The balance of an account is kept in credits.

/** Credits that one US dollar buys: prices and balances in money use it, whichever part of a server charges them. */
export const CREDITS_PER_USD = 211

/** Credits as US cents, to a thousandth of one. */
export const centsOf = (credits: number): number =>
  Math.round((credits * 100_000) / CREDITS_PER_USD) / 1000

/** US cents as credits, to a thousandth of one. */
export const creditsOf = (cents: number): number => Math.round(cents * CREDITS_PER_USD * 10) / 1000
