/** The fields of records that the common model lacks, as the sandbox describes them: examples of custom fields. */
/** A described field. */
export interface OwnField {
  readonly name: string
  readonly label: string
  readonly type: 'text' | 'number' | 'decimal' | 'boolean' | 'date'
  /** The values that a choice has; absent: any. */
  readonly options?: readonly string[]
}

/** How a person may be contacted: the values of `contact_by`. */
export const contactWays = ['email', 'phone', 'post'] as const

/** By collection. */
const ownFields: Readonly<Record<string, readonly OwnField[]>> = {
  people: [
    { name: 'job_title', label: 'Job title', type: 'text' },
    { name: 'loyalty_points', label: 'Loyalty points', type: 'number' },
    { name: 'newsletter', label: 'Newsletter', type: 'boolean' },
    { name: 'contact_by', label: 'Contact by', type: 'text', options: contactWays },
  ],
  invoices: [
    { name: 'project_code', label: 'Project code', type: 'text' },
    { name: 'approved_on', label: 'Approved on', type: 'date' },
    { name: 'discount_percent', label: 'Discount in percent', type: 'decimal' },
  ],
}

/** The fields of a collection that the common model lacks. */
export const ownFieldsOf = (kind: string): readonly OwnField[] => ownFields[kind] ?? []
