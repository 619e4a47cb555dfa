import { defineMapping } from '../../../definition/mapping.ts'
import { task } from '../../../resources/crm/task.ts'
import { history } from '../shared.ts'

/** `/v1/tasks` */
export default defineMapping(task, {
  ...history,
  taskSubject: 'title',
  taskContent: 'details',
  taskOwner: 'assignee',
  taskOpportunity: 'deal',
  taskStatus: 'progress',
  dueDate: 'due_on',
  completedDate: 'done_on',
})
