/** Tasks. */
import { readOnly } from '../../definition/mapping/converters.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { task } from '../../resources/crm/task.ts'
import { tasks } from './object-type.ts'
import { dayProperty, link, property } from './property.ts'
import { createObject, objectResource, withTimestamp } from './writer.ts'

const completion = dayProperty('hs_task_completion_date')

/** The day of the completion. In older accounts, open tasks have their due date there. */
const completedDate: Converter = readOnly({
  ...completion,
  read: (value, record, context) =>
    valuesOf(valuesOf(record).properties).hs_task_status === 'COMPLETED'
      ? completion.read?.(value, record, context)
      : null,
})

const mapping = defineMapping(task, {
  remoteId: 'id',
  taskSubject: property('hs_task_subject'),
  taskContent: property('hs_task_body'),
  taskOwner: property('hubspot_owner_id'),
  taskOpportunity: link('deals'),
  taskStatus: property('hs_task_status'),
  dueDate: dayProperty('hs_timestamp'),
  completedDate,
  remoteCreatedAt: 'createdAt',
  remoteUpdatedAt: 'updatedAt',
  remoteDeleted: null, // archived tasks are listed by id only
})

export const taskResource = objectResource(tasks, mapping, {
  *create(body) {
    return yield* createObject(tasks, yield* withTimestamp(body))
  },
})
