/** Platform files that several specs start from. */

/** One tracker with every type of field and every member that a field may have. */
export const EVERY_FIELD = `
settings: { anonymous_access: false, artifact_deletion_limit: 5, archive_deleted_artifacts: true }
artifact_link_types: [{ shortname: fixed_in, forward_label: Fixed in, reverse_label: Fixes }]
users:
  - { username: erin, real_name: Erin, email: erin@example.org, password: secret, site_admin: true }
  - { username: frank, real_name: Frank, email: frank@example.org, password: secret, status: suspended }
projects:
  - shortname: lab
    label: Laboratory
    description: Where everything is tried
    access: private
    admins: [erin]
    members: [frank]
    user_groups: [{ short_name: crew, label: Crew, members: [erin, frank] }]
    svn: true
    trackers:
      - item_name: thing
        label: Things
        description: Of every kind
        color_name: plum-crazy
        admins: [frank, crew]
        permissions: { access: [crew], submit: [project_members], update: [project_admins, crew] }
        fields:
          - name: box
            label: Box
            type: fieldset
            description: Holds the rest
            fields:
              - name: column
                label: Column
                type: column
                fields:
                  - { name: title, label: Title, type: string, required: true, max_chars: 20, size: 40, default: Untitled }
              - { name: body, label: Body, type: text, rows: 7, default: Nothing yet }
              - name: status
                label: Status
                type: sb
                values: [{ label: Open, color: fiesta-red }, { label: Done }, { label: Lost, hidden: true }]
                default: Open
              - { name: grade, label: Grade, type: rb, values: [{ label: A }, { label: B }] }
              - { name: owners, label: Owners, type: msb, bind: users, from: [crew], default: [erin] }
              - { name: teams, label: Teams, type: cb, bind: user_groups, from: [crew, project_admins], default: [crew] }
              - { name: tags, label: Tags, type: tbl, values: [{ label: red }, { label: blue }], default: [blue] }
              - { name: readers, label: Readers, type: tbl, bind: users, from: [registered_users] }
              - name: points
                label: Points
                type: int
                default: 3
                permissions: { read: [crew], submit: [project_members], update: [] }
          - { name: weight, label: Weight, type: float, default: 1.5 }
          - { name: day, label: Day, type: date, default: 2024-02-29 }
          - { name: moment, label: Moment, type: date, time: true, default: 2024-02-29T10:11:00Z }
          - { name: links, label: Links, type: art_link }
          - { name: attachment, label: Attachment, type: file, max_size: 1000 }
          - { name: visible_to, label: Visible to, type: perm, default: [crew] }
          - { name: sum, label: Sum, type: computed, default: 12 }
          - { name: id, label: Id, type: aid }
          - { name: number, label: Number, type: atid }
          - { name: submitted_on, label: Submitted on, type: subon }
          - { name: submitted_by, label: Submitted by, type: subby }
          - { name: updated_on, label: Updated on, type: lud }
          - { name: updated_by, label: Updated by, type: luby }
        semantics:
          title: title
          description: body
          status: { field: status, open: [Open] }
          contributor: owners
        workflow:
          field: status
          transitions: [[null, Open], [Open, Done], [Done, Open]]
        reports:
          - { name: Open, query: status = "Open", default: true }
          - name: Heavy
            public: false
            query: |
              weight > 2
                AND owners = MYSELF()
`;
