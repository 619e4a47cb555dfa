import { enumeration, notNull, readOnly } from '../../../definition/mapping/converters.ts'
import { task } from '../../../resources/crm/task.ts'
import { collection } from '../collection.ts'

/** `/v1/tasks` */
export default collection('tasks', task, {
  taskSubject: notNull('title'),
  taskContent: 'details',
  taskOwner: 'assignee',
  taskOpportunity: 'deal',
  taskStatus: notNull(enumeration('progress', ['todo', 'doing', 'done'])),
  dueDate: 'due_on',
  completedDate: readOnly('done_on'),
})
