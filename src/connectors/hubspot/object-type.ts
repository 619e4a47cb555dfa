/** The types of CRM objects: their names, the properties that are read, and the associations that are shown. */

/** The date of the API version, which is part of every path (NOTES "the version is a date"). */
const VERSION = '2026-03'

/** A path of the API: `crmPath('objects', 'contacts', '51')` is `/crm/objects/2026-03/contacts/51`. */
export const crmPath = (api: string, ...steps: readonly string[]): string =>
  ['/crm', api, VERSION, ...steps.map(encodeURIComponent)].join('/')

/** The path of the settings of the account. */
export const ACCOUNT_PATH = `/account-info/${VERSION}/details`

/** The category of the associations that every account has; users define labels of their own. */
export const HUBSPOT_DEFINED = 'HUBSPOT_DEFINED'

/** An association whose first record is shown as a reference. */
export interface Link {
  /** The type of the association that a write sets (NOTES "association types"). */
  readonly typeId: number
  /** The name of that type in listings, for objects with a primary record among several. */
  readonly primaryName?: string
}

/** A type of CRM objects. */
export interface ObjectType {
  /** The name in paths: `companies`. */
  readonly name: string
  /** The property with the time of the last change. */
  readonly modified: 'lastmodifieddate' | 'hs_lastmodifieddate'
  /** The properties that are read in every account, in addition to the custom ones. */
  readonly properties: readonly string[]
  /** The property with the currency of amounts. Without a value, it is that of the account. */
  readonly currency?: string
  /** By the name of the associated type. */
  readonly links: Readonly<Record<string, Link>>
}

const MERGED = 'hs_merged_object_ids'

export const companies: ObjectType = {
  name: 'companies',
  modified: 'hs_lastmodifieddate',
  properties: [
    'name',
    'domain',
    'website',
    'description',
    'industry',
    'numberofemployees',
    'annualrevenue',
    'lifecyclestage',
    'type',
    'phone',
    'address',
    'address2',
    'city',
    'state',
    'zip',
    'country',
    'hubspot_owner_id',
    'notes_last_updated',
    MERGED,
  ],
  links: {},
}

export const contacts: ObjectType = {
  name: 'contacts',
  modified: 'lastmodifieddate',
  properties: [
    'firstname',
    'lastname',
    'email',
    'work_email',
    'hs_additional_emails',
    'phone',
    'mobilephone',
    'fax',
    'address',
    'city',
    'state',
    'zip',
    'country',
    'jobtitle',
    'lifecyclestage',
    'hs_lead_status',
    'hubspot_owner_id',
    'notes_last_updated',
    MERGED,
  ],
  links: { companies: { typeId: 1, primaryName: 'contact_to_company' } },
}

export const leads: ObjectType = {
  name: 'leads',
  modified: 'hs_lastmodifieddate',
  properties: [
    'hs_lead_name',
    'hs_lead_source',
    'hs_lead_type',
    'hs_lead_label',
    'hs_pipeline',
    'hs_pipeline_stage',
    'hs_associated_company_name',
    'hs_associated_contact_firstname',
    'hs_associated_contact_lastname',
    'hs_associated_contact_email',
    'hubspot_owner_id',
    MERGED,
  ],
  links: {},
}

export const deals: ObjectType = {
  name: 'deals',
  currency: 'deal_currency_code', // NOTES "the currency of a deal"
  modified: 'hs_lastmodifieddate',
  properties: [
    'dealname',
    'description',
    'amount',
    'deal_currency_code',
    'dealstage',
    'pipeline',
    'dealtype',
    'closedate',
    'hubspot_owner_id',
    'notes_last_updated',
    MERGED,
  ],
  links: { companies: { typeId: 5, primaryName: 'deal_to_company' } },
}

export const notes: ObjectType = {
  name: 'notes',
  modified: 'hs_lastmodifieddate',
  properties: ['hs_note_body', 'hs_timestamp', 'hubspot_owner_id', 'hs_attachment_ids'],
  links: { contacts: { typeId: 202 }, companies: { typeId: 190 }, deals: { typeId: 214 } },
}

export const tasks: ObjectType = {
  name: 'tasks',
  modified: 'hs_lastmodifieddate',
  properties: [
    'hs_task_subject',
    'hs_task_body',
    'hs_task_status',
    'hs_task_priority',
    'hs_task_type',
    'hs_task_completion_date',
    'hs_timestamp',
    'hubspot_owner_id',
  ],
  links: { deals: { typeId: 216 } },
}

/** All types. */
export const objectTypes: readonly ObjectType[] = [companies, contacts, leads, deals, notes, tasks]
