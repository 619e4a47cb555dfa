/** The properties that every portal has. */
import { type ObjectType, objectTypes } from './object-types.ts'

export interface PropertyOption {
  readonly value: string
  readonly label: string
}

export type PropertyType = 'string' | 'number' | 'date' | 'datetime' | 'enumeration' | 'bool'

export interface PropertyDefinition {
  readonly name: string
  readonly label: string
  readonly type: PropertyType
  /** How the app shows it; `checkbox`: several options, separated by semicolons. */
  readonly fieldType: string
  readonly groupName: string
  readonly options: readonly PropertyOption[]
  /** The options are not part of the definition: owners, pipelines and stages. */
  readonly externalOptions?: 'owner' | 'pipeline' | 'stage'
  /** Only the vendor writes it. */
  readonly isReadOnly?: boolean
  readonly isCalculated?: boolean
  readonly hasUniqueValue?: boolean
  readonly isCustom?: boolean
}

const FIELD_TYPES: Readonly<Record<PropertyType, string>> = {
  string: 'text',
  number: 'number',
  date: 'date',
  datetime: 'date',
  enumeration: 'select',
  bool: 'booleancheckbox',
}

type Details = Partial<Omit<PropertyDefinition, 'options'>> & {
  readonly options?: readonly string[]
}

const labelOf = (text: string): string =>
  text
    .replace(/^hs_/, '')
    .replaceAll('_', ' ')
    .replace(/^\w/, (letter) => letter.toUpperCase())

/** A definition; the label follows from the name. */
export const defineProperty = (
  name: string,
  type: PropertyType = 'string',
  { options = [], ...details }: Details = {},
): PropertyDefinition => {
  const texts = type === 'bool' ? ['true', 'false'] : options
  return {
    name,
    type,
    label: labelOf(name),
    fieldType: FIELD_TYPES[type],
    groupName: 'information',
    options: texts.map((value) => ({ value, label: labelOf(value.toLowerCase()) })),
    ...details,
  }
}

const READ_ONLY: Details = { isReadOnly: true }
const CALCULATED: Details = { isReadOnly: true, isCalculated: true }

const texts = (...names: readonly string[]): readonly PropertyDefinition[] =>
  names.map((name) => defineProperty(name))

const owner = defineProperty('hubspot_owner_id', 'enumeration', { externalOptions: 'owner' })

const stages = (pipeline: string, stage: string): readonly PropertyDefinition[] => [
  defineProperty(pipeline, 'enumeration', { externalOptions: 'pipeline' }),
  defineProperty(stage, 'enumeration', { externalOptions: 'stage' }),
]

const ADDRESS = texts('address', 'city', 'state', 'zip', 'country')
const LIFECYCLE = defineProperty('lifecyclestage', 'enumeration', {
  fieldType: 'radio',
  options: [
    'subscriber',
    'lead',
    'marketingqualifiedlead',
    'salesqualifiedlead',
    'opportunity',
    'customer',
    'evangelist',
    'other',
  ],
})
const LEAD_STATUS = defineProperty('hs_lead_status', 'enumeration', {
  fieldType: 'radio',
  options: [
    'NEW',
    'OPEN',
    'IN_PROGRESS',
    'OPEN_DEAL',
    'UNQUALIFIED',
    'ATTEMPTED_TO_CONTACT',
    'CONNECTED',
    'BAD_TIMING',
  ],
})
const INDUSTRIES = [
  'ACCOUNTING',
  'AUTOMOTIVE',
  'BANKING',
  'COMPUTER_SOFTWARE',
  'CONSTRUCTION',
  'CONSUMER_GOODS',
  'FARMING',
  'FINANCIAL_SERVICES',
  'HOSPITAL_HEALTH_CARE',
  'RETAIL',
]

const standard: Readonly<Record<string, readonly PropertyDefinition[]>> = {
  contacts: [
    defineProperty('email', 'string', { hasUniqueValue: true }),
    ...texts('firstname', 'lastname', 'phone', 'mobilephone', 'fax', 'jobtitle', 'company'),
    ...texts('website', 'salutation', 'work_email', 'hs_additional_emails'),
    ...ADDRESS,
    LIFECYCLE,
    LEAD_STATUS,
    owner,
    defineProperty('notes_last_contacted', 'datetime', CALCULATED),
    defineProperty('notes_last_updated', 'datetime', CALCULATED),
  ],
  companies: [
    ...texts('name', 'domain', 'website', 'phone', 'description', 'address2', 'timezone'),
    ...ADDRESS,
    defineProperty('industry', 'enumeration', { options: INDUSTRIES }),
    defineProperty('type', 'enumeration', {
      options: ['PROSPECT', 'PARTNER', 'RESELLER', 'VENDOR', 'OTHER'],
    }),
    defineProperty('numberofemployees', 'number'),
    defineProperty('annualrevenue', 'number'),
    LIFECYCLE,
    LEAD_STATUS,
    owner,
    defineProperty('notes_last_contacted', 'datetime', CALCULATED),
    defineProperty('notes_last_updated', 'datetime', CALCULATED),
  ],
  deals: [
    ...texts('dealname', 'description', 'closed_lost_reason', 'closed_won_reason', 'hs_next_step'),
    defineProperty('amount', 'number'),
    defineProperty('amount_in_home_currency', 'number', CALCULATED),
    defineProperty('deal_currency_code', 'enumeration'),
    defineProperty('closedate', 'datetime'),
    defineProperty('dealtype', 'enumeration', { options: ['newbusiness', 'existingbusiness'] }),
    defineProperty('hs_priority', 'enumeration', { options: ['low', 'medium', 'high'] }),
    ...stages('pipeline', 'dealstage'),
    owner,
    defineProperty('hs_is_closed', 'bool', CALCULATED),
    defineProperty('hs_is_closed_won', 'bool', CALCULATED),
    defineProperty('hs_deal_stage_probability', 'number', CALCULATED),
    defineProperty('notes_last_contacted', 'datetime', CALCULATED),
    defineProperty('notes_last_updated', 'datetime', CALCULATED),
  ],
  leads: [
    ...texts('hs_lead_name', 'hs_lead_source'),
    ...['email', 'firstname', 'lastname'].map((name) =>
      defineProperty(`hs_associated_contact_${name}`, 'string', CALCULATED),
    ),
    ...['domain', 'name'].map((name) =>
      defineProperty(`hs_associated_company_${name}`, 'string', CALCULATED),
    ),
    defineProperty('hs_lead_type', 'enumeration', {
      options: ['NEW_BUSINESS', 'UPSELL', 'RE_ATTEMPTING'],
    }),
    defineProperty('hs_lead_label', 'enumeration', { options: ['HOT', 'WARM', 'COLD'] }),
    ...stages('hs_pipeline', 'hs_pipeline_stage'),
    owner,
  ],
  notes: [
    defineProperty('hs_timestamp', 'datetime'),
    ...texts('hs_note_body', 'hs_attachment_ids'),
    owner,
  ],
  tasks: [
    defineProperty('hs_timestamp', 'datetime'),
    ...texts('hs_task_body', 'hs_task_subject', 'hs_task_reminders'),
    defineProperty('hs_task_status', 'enumeration', {
      options: ['NOT_STARTED', 'IN_PROGRESS', 'WAITING', 'COMPLETED', 'DEFERRED'],
    }),
    defineProperty('hs_task_completion_date', 'datetime', READ_ONLY),
    defineProperty('hs_task_priority', 'enumeration', {
      options: ['NONE', 'LOW', 'MEDIUM', 'HIGH'],
    }),
    defineProperty('hs_task_type', 'enumeration', { options: ['CALL', 'EMAIL', 'TODO'] }),
    owner,
  ],
  users: [
    ...texts('hs_email', 'hs_given_name', 'hs_family_name', 'hs_job_title'),
    defineProperty('hs_internal_user_id', 'number', READ_ONLY),
    defineProperty('hs_deactivated', 'bool', READ_ONLY),
  ],
}

const systemOf = ({ createdProperty, modifiedProperty }: ObjectType): PropertyDefinition[] => [
  defineProperty('hs_object_id', 'number', READ_ONLY),
  defineProperty(createdProperty, 'datetime', READ_ONLY),
  defineProperty(modifiedProperty, 'datetime', READ_ONLY),
  defineProperty('hs_merged_object_ids', 'enumeration', {
    ...READ_ONLY,
    fieldType: 'checkbox',
  }),
]

/** By the type's name, then by the property's. */
export const standardProperties: ReadonlyMap<
  string,
  ReadonlyMap<string, PropertyDefinition>
> = new Map(
  [...objectTypes.values()].map((type) => [
    type.name,
    new Map(
      [...systemOf(type), ...(standard[type.name] ?? [])].map((property) => [
        property.name,
        property,
      ]),
    ),
  ]),
)
