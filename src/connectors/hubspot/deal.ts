/** Deals. */
import { WriteRejection } from '../../definition/connector.ts'
import { orElse, required, states } from '../../definition/mapping/converters.ts'
import { decimal } from '../../definition/mapping/decimal.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import type { Values } from '../../definition/raw-values.ts'
import { opportunity } from '../../resources/crm/opportunity.ts'
import { deals } from './object-type.ts'
import { portal } from './portal.ts'
import { dayProperty, link, property, timeProperty } from './property.ts'
import { objectResource } from './writer.ts'

/** A raw deal. */
interface RawDeal {
  readonly properties: Values
}

/** The stage. A write sets the pipeline too: a stage belongs to one (NOTES "stages and pipelines"). */
const stage: Converter = {
  from: 'properties.dealstage',
  apply: (value, { path, put, context }) => {
    const id = String(value ?? '')
    const { stages } = portal.of(context)
    const found = Object.hasOwn(stages, id) ? stages[id] : undefined
    if (!found) throw new WriteRejection('HubSpot has no deal stage with this id.', path)
    put('properties.dealstage', id, path)
    put('properties.pipeline', found.pipeline, path)
    return undefined
  },
  sets: ['properties.dealstage', 'properties.pipeline'],
}

/** The status of the deal's stage (NOTES "status of a deal"). */
const statusOf = ({ properties }: RawDeal, _deal: RawDeal, context: unknown): unknown =>
  portal.of(context).stages[String(properties.dealstage)]?.status

const mapping = defineMapping<typeof opportunity, RawDeal>(opportunity, {
  remoteId: 'id',
  opportunityName: required(property('dealname')),
  opportunityDescription: property('description'),
  amount: orElse(decimal('properties.amount', { as: 'text' }), ''),
  currency: property('deal_currency_code'),
  opportunityOwner: property('hubspot_owner_id'),
  opportunityAccount: link('companies'),
  opportunityStage: required(stage),
  opportunityStatus: statusOf,
  opportunityState: states(statusOf, { open: 'OPEN', won: 'WON', lost: 'LOST' }),
  closeDate: dayProperty('closedate'),
  lastActivityAt: timeProperty('notes_last_updated'),
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // archived deals are listed by id only
})

export const dealResource = objectResource(deals, mapping)
