/** Pages of short lists, by number. */
import { Prisma } from '@prisma/client'

/** A page of a list; without a size, the whole list. */
export interface NumberedPage {
  readonly size: number | undefined
  /** Starts at 1. */
  readonly number: number
}

/** The rows of a page, for a query of Prisma. */
export const rowsOf = ({
  size,
  number,
}: NumberedPage): { readonly take?: number; readonly skip?: number } =>
  size === undefined ? {} : { take: size, skip: size * (number - 1) }

/** The rows of a page, for the end of an SQL query. */
export const limitOf = ({ size, number }: NumberedPage): Prisma.Sql =>
  size === undefined ? Prisma.empty : Prisma.sql`LIMIT ${size} OFFSET ${size * (number - 1)}`
