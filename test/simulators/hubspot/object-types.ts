/** The types of records. */

export interface ObjectType {
  /** In paths: `contacts`. */
  readonly name: string
  /** In messages and events: `contact`. */
  readonly singular: string
  /** `0-1` */
  readonly typeId: string
  /** The properties with the times of creation and of the last change. */
  readonly createdProperty: string
  readonly modifiedProperty: string
  /** The properties of a response if none are requested, in addition to the id and these times. */
  readonly defaults: readonly string[]
  /** A new record needs one property of each group. */
  readonly required: readonly (readonly string[])[]
  /** The properties that the `query` of a search compares. */
  readonly searched: readonly string[]
  readonly readScopes: readonly string[]
  /** Empty: the API only reads these records. */
  readonly writeScopes: readonly string[]
  readonly canMerge: boolean
  /** Whether there are events named after the type (`contact.creation`), not only `object.creation`. */
  readonly hasTypedEvents: boolean
}

type ObjectTypeOptions = Pick<ObjectType, 'name' | 'singular' | 'typeId'> & Partial<ObjectType>

const define = ({ name, ...options }: ObjectTypeOptions): ObjectType => ({
  name,
  createdProperty: 'hs_createdate',
  modifiedProperty: 'hs_lastmodifieddate',
  defaults: [],
  required: [],
  searched: [],
  readScopes: [`crm.objects.${name}.read`],
  writeScopes: [`crm.objects.${name}.write`],
  canMerge: false,
  hasTypedEvents: false,
  ...options,
})

/** The documentation of notes and tasks names the scopes of contacts, the specification their own as well. */
const scopesOfActivity = (name: string): Pick<ObjectType, 'readScopes' | 'writeScopes'> => ({
  readScopes: [`crm.objects.${name}.read`, 'crm.objects.contacts.read'],
  writeScopes: [`crm.objects.${name}.write`, 'crm.objects.contacts.write'],
})

const all: readonly ObjectType[] = [
  define({
    name: 'contacts',
    singular: 'contact',
    typeId: '0-1',
    createdProperty: 'createdate',
    modifiedProperty: 'lastmodifieddate',
    defaults: ['email', 'firstname', 'lastname'],
    required: [['email', 'firstname', 'lastname']],
    searched: ['firstname', 'lastname', 'email', 'phone', 'company'],
    canMerge: true,
    hasTypedEvents: true,
  }),
  define({
    name: 'companies',
    singular: 'company',
    typeId: '0-2',
    createdProperty: 'createdate',
    defaults: ['domain', 'name'],
    required: [['name', 'domain']],
    searched: ['name', 'domain', 'website', 'phone'],
    canMerge: true,
    hasTypedEvents: true,
  }),
  define({
    name: 'deals',
    singular: 'deal',
    typeId: '0-3',
    createdProperty: 'createdate',
    defaults: ['amount', 'closedate', 'dealname', 'dealstage', 'pipeline'],
    required: [['dealname'], ['dealstage']],
    searched: ['dealname', 'description'],
    canMerge: true,
    hasTypedEvents: true,
  }),
  define({
    name: 'leads',
    singular: 'lead',
    typeId: '0-136',
    required: [['hs_lead_name']],
    searched: ['hs_lead_name'],
  }),
  define({
    name: 'notes',
    singular: 'note',
    typeId: '0-46',
    required: [['hs_timestamp']],
    searched: ['hs_note_body'],
    ...scopesOfActivity('notes'),
  }),
  define({
    name: 'tasks',
    singular: 'task',
    typeId: '0-27',
    required: [['hs_timestamp']],
    searched: ['hs_task_subject', 'hs_task_body'],
    ...scopesOfActivity('tasks'),
  }),
  define({
    name: 'users',
    singular: 'user',
    typeId: '0-115',
    defaults: ['hs_email', 'hs_given_name', 'hs_family_name'],
    required: [['hs_email']],
    searched: ['hs_email', 'hs_given_name', 'hs_family_name'],
    writeScopes: [],
  }),
]

export const objectTypes: ReadonlyMap<string, ObjectType> = new Map(
  all.map((type) => [type.name, type]),
)
