import { date, reference, text } from '../../definition/field.ts'
import { defineResource } from '../../definition/resource.ts'

export const task = defineResource({
  name: 'task',
  plural: 'tasks',
  category: 'crm',
  doc: 'Something a user has to do.',
  verbs: ['list', 'get', 'create', 'update', 'delete'],
  fields: {
    taskSubject: text('What is to be done, in one line.'),
    taskContent: text('What is to be done, in full.'),
    taskOwner: reference('crm/users', 'User who is to do the task.', { as: 'owner' }),
    taskOpportunity: reference('crm/opportunities', 'Opportunity the task is for.', {
      as: 'opportunity',
    }),
    taskStatus: text("How far the task is, in the app's own words."),
    dueDate: date('Day by which the task is to be done.'),
    completedDate: date('Day the task was done.'),
  },
})
