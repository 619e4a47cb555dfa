import { defineMapping } from '../../../definition/mapping.ts'
import { task } from '../../../resources/crm/task.ts'
import { collection } from '../collection.ts'
import { filled, word } from '../conversion.ts'
import { as } from '../inverse.ts'
import { history } from '../shared.ts'

const mapping = defineMapping(task, {
  ...history,
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
  taskSubject: as('title', filled()),
  taskContent: 'details',
  taskOwner: 'assignee',
  taskOpportunity: 'deal',
  taskStatus: as('progress', filled(word(['todo', 'doing', 'done']))),
  dueDate: 'due_on',
})
