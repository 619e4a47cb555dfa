import { date, reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const task = defineResource({
  name: 'task',
  plural: 'tasks',
  category: 'crm',
  doc: 'A task of a user.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    taskSubject: text('Subject of the task.'),
    taskContent: text('Full description of the task.'),
    taskOwner: reference('crm/users', 'User to whom the task is assigned.', { as: 'owner' }),
    taskOpportunity: reference('crm/opportunities', 'Opportunity to which the task belongs.', {
      as: 'opportunity',
    }),
    taskStatus: text('Status of the task, as the app names it.'),
    dueDate: date('Due date of the task.'),
    completedDate: date('Date on which the task was completed.'),
  },
})
