import { defineMapping } from '../../../definition/mapping.ts'
import { task } from '../../../resources/crm/task.ts'
import { collection } from '../collection.ts'
import { enumeration, required } from '../conversion.ts'
import { as } from '../inverse.ts'
import { recordFields } from '../shared.ts'

const mapping = defineMapping(task, {
  ...recordFields,
  taskSubject: 'title',
  taskContent: 'details',
  taskOwner: 'assignee',
  taskOpportunity: 'deal',
  taskStatus: 'progress',
  dueDate: 'due_on',
  completedDate: 'done_on',
})

/** `/v1/tasks` */
export default collection('tasks', mapping, {
  taskSubject: as('title', required()),
  taskContent: 'details',
  taskOwner: 'assignee',
  taskOpportunity: 'deal',
  taskStatus: as('progress', required(enumeration(['todo', 'doing', 'done']))),
  dueDate: 'due_on',
})
